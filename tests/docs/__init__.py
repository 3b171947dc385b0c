"""What the documentation says is so: every snippet and every command in it is run.

`blocks.py` finds the fenced blocks of all pages and the commands in them. A comment in front of a
snippet, ``<!-- with: NAME -->``, names what it needs: see `setups.py`. Commands are run in bash, in
a copy of `desk/`. `elsewhere.py` has the few that another test runs, or none, with the reason.
"""
