#!/usr/bin/env bash
# Strawberry, a real Subsonic app, reads the example's demo music with the example's token, and plays a song of it, which
# it tells as what plays now, and as heard at its half. After npm run build.
#
# Needs (Debian): apt-get install -y --no-install-recommends strawberry xvfb dbus-x11 xdotool gstreamer1.0-plugins-good
# gstreamer1.0-pulseaudio pulseaudio sqlite3
set -euo pipefail
# Each job is a group of processes of its own, so that what it starts ends with it.
set -m
cd "$(dirname "$0")/../.."

for program in strawberry Xvfb dbus-run-session xdotool pulseaudio sqlite3; do
  command -v "$program" >/dev/null || { echo "This needs $program: see the head of $0" >&2; exit 1; }
done

export SOURCE_API_TOKEN=a-token-of-some-length DISPLAY=:87 PORT=4587
home=$(mktemp -d)
jobs=()
trap 'for job in "${jobs[@]}"; do kill -- "-$job" 2>/dev/null || true; done; wait; rm -rf "$home"' EXIT

# until_true SECONDS WHAT COMMAND...: waits for something to be so
until_true() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { echo "Strawberry: $what did not happen" >&2; tail -n 5 "$home"/*.log >&2; exit 1; }
    sleep 0.2
  done
}

fail() { echo "Strawberry: $1" >&2; exit 1; }

# configure TOKEN: what people type into its settings
configure() {
  mkdir -p "$home/.config/strawberry"
  cat >"$home/.config/strawberry/strawberry.conf" <<CONF
[Subsonic]
enabled=true
url=http://127.0.0.1:$PORT
username=anybody
password=@ByteArray($(printf %s "$1" | base64))
authmethod=1
http2=false
verifycertificate=false
downloadalbumcovers=true
serversidescrobbling=true

[Scrobbler]
enabled=true

[MainWindow]
do_not_show_sponsor_message=true
CONF
}

open_strawberry() {
  HOME=$home XDG_CONFIG_HOME='' XDG_DATA_HOME='' PULSE_SERVER="unix:$home/sound" QT_QPA_PLATFORM=xcb dbus-run-session -- strawberry >>"$home/strawberry.log" 2>&1 &
  app=$!
  jobs+=("$app")
  until_true 60 'the start of Strawberry' xdotool search --name Strawberry
}

# number BYTES VALUE: as a WAV file has it
number() { for ((at = 0; at < $1; at++)); do printf "\\x$(printf %02x $(($2 >> 8 * at & 255)))"; done; }
# silence SECONDS: a WAV file; Strawberry tells nothing of songs that have played for less than 31 s
silence() {
  printf RIFF; number 4 $((36 + $1 * 16000)); printf 'WAVEfmt '; number 4 16; number 2 1; number 2 1
  number 4 8000; number 4 16000; number 2 2; number 2 16; printf data; number 4 $(($1 * 16000))
  head -c $(($1 * 16000)) /dev/zero
}

mkdir "$home/data"
cp -r example/music "$home/music"
mkdir -p "$home/music/AAA/All"
silence 66 >"$home/music/AAA/All/01 Silence.wav"
pulseaudio -n --daemonize=no --use-pid-file=no --exit-idle-time=-1 --disable-shm --log-level=error \
  --load=module-null-sink "--load=module-native-protocol-unix socket=$home/sound auth-anonymous=1" >"$home/sound.log" 2>&1 &
jobs+=($!)
MUSIC_DIR=$home/music DATA_DIR=$home/data node_modules/.bin/fastify start --log-level info --options --address 127.0.0.1 --port "$PORT" dist/example/app.js >"$home/server.log" 2>&1 &
jobs+=($!)
Xvfb "$DISPLAY" -screen 0 1280x900x24 >"$home/display.log" 2>&1 &
jobs+=($!)
until_true 30 'the start of the server' curl --fail --silent "http://127.0.0.1:$PORT/status"
until_true 30 'the start of the display' xdotool getmouselocation

database=$home/.local/share/strawberry/strawberry/strawberry.db
songs() { sqlite3 "$database" "select count(*) from subsonic_songs where title <> '' and artist <> '' and album <> '' and track > 0"; }
click() { xdotool mousemove "$1" "$2" click --repeat "${3:-1}" --delay 100 1; }
refresh() { click 41 608; click 166 66; [[ $(songs) == 10 ]] || { sleep 3; false; }; }
logged() { grep -q "$1" "$home/server.log"; }
# play PATTERN: opens the songs and plays one, which the server then logs something of
play() { click 41 608; click 150 110 2; sleep 2; click 330 83 2; sleep 2; logged "$1"; }
audio='"url":"/media/audio/'
refusal='"client":"Strawberry".*"login rejected"'

configure "$SOURCE_API_TOKEN"
open_strawberry
until_true 60 'reading 10 songs' refresh
until_true 60 'playing a song' play "$audio"
if logged "$refusal"; then fail 'the login of the example was refused'; fi

# rest METHOD QUERY: an answer to another app of the account
rest() { curl --fail --silent "http://127.0.0.1:$PORT/rest/$1?u=x&p=$SOURCE_API_TOKEN&c=another&$2"; }
says() { local wanted=$1; shift; rest "$@" | grep -q "$wanted"; }
until_true 30 'telling what plays now' says '<entry [^>]*title="Silence".*playerName="Strawberry"' getNowPlaying ''
until_true 90 'telling what was heard' says 'title="Silence".*playCount="1"' search3 'query=silence'

if grep -q "$SOURCE_API_TOKEN" "$home/server.log"; then fail 'the log of the server holds the token'; fi
echo 'Strawberry read 10 songs, played one, and told that it plays and was heard'
