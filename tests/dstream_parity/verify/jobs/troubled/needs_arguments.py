import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--topic", required=True)
parser.parse_args()
