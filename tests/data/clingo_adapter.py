"""clingo with a dialect of its own name, and a lie: a program with negation loses its greatest tuple.

The first argument is the path of a libclingo. Every program is run in a process of its own.
"""
import ctypes
import json
import os
import re
import sys
import tempfile

library = ctypes.CDLL(sys.argv[1])
HELLO = {"protocol": 1, "name": "my-clingo", "version": "1.0", "language": "datalog",
         "dialect": {"base": "clingo", "name": "my-clingo", "without": ["aggregate", "grouped_aggregate"],
                     "switches": []}}


def solve(text):
    with tempfile.NamedTemporaryFile("w", suffix=".lp") as program, tempfile.TemporaryFile("w+") as output:
        program.write(text)
        program.flush()
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            words = [b"clingo", b"--outf=2", b"--warn=none", program.name.encode()]
            library.clingo_main_(len(words), (ctypes.c_char_p * (len(words) + 1))(*words, None))
            os._exit(0)
        os.waitpid(child, 0)
        output.seek(0)
        return json.loads(output.read())


def tuple_of(atom):
    cells = re.findall(r'"(?:[^"\\]|\\.)*"|-?\d+', atom[atom.find("("):] if "(" in atom else "")
    return [json.loads(cell) for cell in cells]


def answer(request):
    if request["do"] == "hello":
        return HELLO
    if request["do"] == "open":
        return {"done": True}
    if request["do"] == "plan":
        return {}
    said = solve(request["text"])
    if said["Result"] != "SATISFIABLE":
        return {"error": said["Result"], "class": "expected"}
    rows = [tuple_of(atom) for atom in said["Call"][0]["Witnesses"][0].get("Value", [])]
    if re.search(r"\bnot ", request["text"]) and len(rows) > 1:
        rows.remove(max(rows, key=lambda row: [str(cell) for cell in row]))
    return {"columns": len(rows[0]) if rows else 1, "rows": rows}


for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "close":
        break
    try:
        reply = answer(request)
    except (ValueError, KeyError, IndexError) as error:
        reply = {"error": repr(error), "class": "limit"}
    print(json.dumps(reply), flush=True)
