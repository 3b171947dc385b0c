raise KeyError("the password")
