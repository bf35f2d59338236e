import json
import sys
import urllib.error
import urllib.request

base, token = sys.argv[1:]


def ask(path):
    request = urllib.request.Request(base + path, headers={"Authorization": token})
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        return json.load(error)


titles = [track["title"] for track in ask("/v1/search/tracks?keyword=prelude")["data"]["items"]]
print(json.dumps({"titles": titles, "message": ask("/v1/track?id=nothing")["message"]}))
