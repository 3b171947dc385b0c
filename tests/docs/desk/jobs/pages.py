"""What is known about pages."""


def titles(clicks):
    return clicks.map(lambda message: message[1]).filter(bool)
