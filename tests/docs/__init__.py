"""Runs every snippet and every command in the documentation.

`blocks.py` finds the fenced blocks of all pages and the commands in them. A comment before a
snippet, ``<!-- with: NAME -->``, names its setup in `setups.py`. Commands are run in bash, in a
copy of `desk/`. `elsewhere.py` lists the few that another test runs, or that nothing runs, with the
reason.
"""
