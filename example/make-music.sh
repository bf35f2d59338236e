#!/usr/bin/env bash
# Makes the demo library: the folder "music" next to this script, from nothing.
#
# Needs (Debian): apt-get install ffmpeg sox espeak-ng
#
# Everything it makes is dedicated to the public domain (CC0 1.0). The tunes are
# traditional or by composers long dead (Bach, Petzold, Pachelbel, Beethoven),
# "Morning Frost" was written for this script; all are synthesized here, and the
# artists are invented. The English words of the Ode were translated for it too.
set -euo pipefail
export LC_ALL=C.UTF-8

cd "$(dirname "$0")"
rm -rf music
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ---- Sound -----------------------------------------------------------------

sox() { command sox -R "$@"; } # -R: the same dither on every run
seconds() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }
# partials NOTE SECONDS: a tone with its two octaves, each step halving those before
partials() {
  local letter=${1%?} octave=${1: -1}
  echo "synth $2 sine $letter$((octave + 2)) synth $2 sine mix $letter$((octave + 1)) synth $2 sine mix $1"
}

# sound INSTRUMENT NOTE MS: sox effects that play one note
sound() {
  local held rings # strings and bells ring on
  held=$(seconds $(($3 + 120))) rings=$(seconds $(($3 + 1300)))
  case $1 in
    harp) echo "synth $rings pluck $2 lowpass 5000 fade l 0 $rings 1.2" ;;
    bell) echo "$(partials "$2" "$rings") fade l 0.004 $rings $(seconds $(($3 + 1250)))" ;;
    organ) echo "$(partials "$2" "$held") fade q 0.03 $held 0.14" ;;
    flute) echo "synth $held triangle $2 lowpass 1800 tremolo 5 25 fade q 0.05 $held 0.12" ;;
  esac
}

# voice NAME INSTRUMENT TICK-MS "NOTE[+NOTE...][:TICKS] ...", "-" is a rest
voice() {
  local at=0 token note ms notes parts=()
  for token in $4; do
    ms=$3
    [[ $token != *:* ]] || ms=$(($3 * ${token#*:}))
    IFS=+ read -ra notes <<<"${token%:*}"
    for note in "${notes[@]}"; do
      [[ $note == - ]] ||
        parts+=(-v 0.1 "|sox -n -r 44100 -c 1 -p $(sound "$2" "$note" "$ms") pad $(seconds $at)")
    done
    at=$((at + ms))
  done
  sox -m "${parts[@]}" -b 24 "$tmp/$1.wav" gain -n -6
}

# sing NAME START-MS "SYLLABLE:NOTE:MS ...": a voice held at one pitch a syllable
sing() {
  # espeak-ng's pitch setting (0-99) at which the voice fr+f3 hums each note.
  local -A pitch=([C3]=17 [F3]=48 [G3]=59 [A3]=70 [A#3]=75 [C4]=85 [D4]=96)
  local at=$2 token text note ms n=0 speed parts=()
  for token in $3; do
    IFS=: read -r text note ms <<<"$token"
    espeak-ng -m -v fr+f3 -s 80 -p "${pitch[$note]}" -w "$tmp/say.wav" \
      "<speak><prosody range=\"0%\">$text</prosody></speak>"
    sox "$tmp/say.wav" "$tmp/cut.wav" silence 1 0.01 0.5% reverse silence 1 0.01 0.5% reverse
    speed=$(awk -v have="$(soxi -D "$tmp/cut.wav")" -v want="$ms" 'BEGIN { print have * 1000 / want }')
    sox "$tmp/cut.wav" "$tmp/syllable$n.wav" tempo -s "$speed" rate 44100 norm -6 fade t 0.01 -0 0.04 pad "$(seconds "$at")"
    parts+=(-v 0.3 "$tmp/syllable$n.wav")
    at=$((at + ms)) n=$((n + 1))
  done
  sox -m "${parts[@]}" -b 24 "$tmp/$1.wav" gain -n -6
}

# mix TUNE: the voices "tune" and "under", a little apart, in a small room
mix() {
  sox -M "$tmp/tune.wav" "$tmp/under.wav" -b 16 "$tmp/$1.wav" remix 1v0.8,2v0.4 1v0.55,2v0.6 \
    reverb 25 40 60 reverse silence 1 0.01 0.1% fade q 0.6 reverse norm -1.5
}

# The bars of Bach's prelude: five notes in, eight out, twice.
broken() { for _ in 1 2; do echo "$1 $2 $3 $4 $5 $3 $4 $5"; done; }

voice tune harp 130 "$(broken C4 E4 G4 C5 E5) $(broken C4 D4 A4 D5 F5) $(broken B3 D4 G4 D5 F5) \
  $(broken C4 E4 G4 C5 E5) C4 E4 G4 C5 E5:8"
voice under organ 130 "C3:16 C3:16 B2:16 C3:16 C3:12"
mix prelude

am="A2 E3 A3 C4 A3 E3" g="G2 D3 G3 B3 G3 D3" e="E2 B2 E3 G#3 E3 B2"
voice tune harp 170 "A4:2 C5:4 D5:2 E5:3 F#5 E5:2 D5:4 B4:2 G4:3 A4 B4:2 C5:4 A4:2 A4:3 G#4 A4:2 \
  B4:4 G#4:2 E4:4 A4:2 C5:4 D5:2 E5:3 F#5 E5:2 D5:4 B4:2 G4:3 A4 B4:2 C5:3 B4 A4:2 G#4:3 F#4 G#4:2 A4:10"
voice under harp 170 "-:2 $am $am $g $g $am $am $e $e $am $am $g $g $am $e $am A2+E3+A3:4"
mix greensleeves

voice tune bell 210 "B4:3 D5 G5:4 F#5:3 E5 D5:4 E5:3 G5 B5:2 A5:2 G5:4 E5:4 \
  D5:3 G5 B5:4 A5:3 F#5 D5:4 E5:2 D5:2 C5:2 A4:2 G4:8"
voice under organ 210 "G3+B3+D4:8 D3+A3+D4:8 E3+G3+B3:8 C3+G3+C4:8 G3+B3+D4:8 D3+F#3+A3:8 C3+E3+G3:4 D3+F#3+C4:4 G2+G3+B3:8"
mix frost

voice tune organ 250 "F#4:2 F#4:2 G4:2 A4:2 A4:2 G4:2 F#4:2 E4:2 D4:2 D4:2 E4:2 F#4:2 F#4:3 E4 E4:4 \
  F#4:2 F#4:2 G4:2 A4:2 A4:2 G4:2 F#4:2 E4:2 D4:2 D4:2 E4:2 F#4:2 E4:3 D4 D4:4"
voice under organ 250 "D3+A3:8 A2+C#4:8 B2+F#3:4 G2+B3:4 D3+A3:4 A2+C#4:4 \
  D3+A3:8 A2+C#4:8 B2+F#3:4 G2+B3:4 A2+G3:4 D2+A3:4"
mix ode

half="D5:2 G4 A4 B4 C5 D5:2 G4:2 G4:2 E5:2 C5 D5 E5 F#5 G5:2 G4:2 G4:2 C5:2 D5 C5 B4 A4 B4:2 C5 B4 A4 G4"
voice tune harp 180 "$half F#4:2 G4 A4 B4 G4 A4:6 $half A4:2 B4 A4 G4 F#4 G4:6"
voice under harp 180 "G3+B3:4 A3:2 B3:6 C4:6 B3:6 A3:6 G3:6 D4:2 B3:2 G3:2 D4:2 D3 C4 B3 A3 \
  B3:4 A3:2 G3:2 B3:2 G3:2 C4:6 B3:2 C4 B3 A3 G3 A3:4 F#3:2 G3:4 B3:2 C4:2 D4:2 D3:2 G3:4 G2:2"
mix menuett

ground="D3 A3 D4 F#4 A2 E3 A3 C#4 B2 F#3 B3 D4 F#2 C#3 F#3 A3 G2 D3 G3 B3 D3 F#3 A3 D4 G2 D3 G3 B3 A2 E3 A3 C#4"
voice tune organ 210 "F#4:4 E4:4 D4:4 C#4:4 B3:4 A3:4 B3:4 C#4:4 \
  D4+F#4:4 C#4+E4:4 B3+D4:4 A3+C#4:4 G3+B3:4 F#3+A3:4 G3+B3:4 E3+C#4:4 F#3+D4:8"
voice under harp 210 "$ground $ground D2+D3+A3:8"
mix kanon

sing tune 2000 "frè:F3:500 reu:G3:500 ja:A3:500 queu:F3:500 frè:F3:500 reu:G3:500 ja:A3:500 queu:F3:500 \
  dor:A3:500 mé:A#3:500 vou:C4:1000 dor:A3:500 mé:A#3:500 vou:C4:1000 \
  so:C4:250 né:D4:250 lé:C4:250 ma:A#3:250 ti:A3:500 neu:F3:500 \
  so:C4:250 né:D4:250 lé:C4:250 ma:A#3:250 ti:A3:500 neu:F3:500 \
  din:F3:500 din:C3:500 don:F3:1000 din:F3:500 din:C3:500 don:F3:1000"
bells="F4+A4:2 C5:2 F4+A4:2 C5:2"
voice under bell 250 "$bells $bells $bells $bells $bells $bells $bells F4:2 C4:2 F4:4 F4:2 C4:2 F4+A4:4"
mix jacques

f="F2 C3 F3 A3 C4 A3 F3 C3" d="D3 A3 D4 F4 A4 F4 D4 A3" c="C3 G3 C4 D4 G4 D4 C4 G3"
voice tune flute 225 "A4:2 A4 C5 D5 F5 F5 D5 C5:2 C5 D5 C5:4 C5:2 C5:2 C5:2 A4 C5 D5:2 D5:2 C5:4 \
  A4:2 G4 A4 C5:2 A4 G4 F4:2 F4 G4 F4:4 A4 G4 F4 A4 G4:3 A4 C5:2 D5 F5 C5:4 \
  G4:2 A4 C5 G4 A4 F4 D4 C4:4 D4:2 F4:2 G4:3 A4 F4 G4 F4 D4 C4:6"
voice under harp 225 "$f $c $f $d $f $f $d $f $c $f $c C3+G3+C4:6"
mix jasmine

c="C3 G3 E4 G3" f="F3 C4 A4 C4" g="G2 D3 B3 D3"
voice tune bell 190 "C5:2 C5:2 G5:2 G5:2 A5:2 A5:2 G5:4 F5:2 F5:2 E5:2 E5:2 D5:2 D5:2 C5:4 \
  G5:2 G5:2 F5:2 F5:2 E5:2 E5:2 D5:4 G5:2 G5:2 F5:2 F5:2 E5:2 E5:2 D5:4 \
  C5:2 C5:2 G5:2 G5:2 A5:2 A5:2 G5:4 F5:2 F5:2 E5:2 E5:2 D5:2 D5:2 C5:6"
voice under harp 190 "$c $c $f $c $f $c $g $c $c $f $c $g $c $f $c $g $c $c $f $c $f $c $g C3+G3+E4:6"
mix maman

# ---- Covers ----------------------------------------------------------------

# draw FILE RED GREEN BLUE: a 320x320 picture from a formula for each colour
draw() {
  ffmpeg -v error -y -f lavfi -i "color=s=320x320:r=1,format=gbrp,geq=r='$2':g='$3':b='$4'" \
    -frames:v 1 -q:v 4 -fflags +bitexact -flags:v +bitexact -threads 1 "$1"
}
sun="lt(hypot(X-160,Y-220),70)*lt(Y,220)" string="lt(mod(X,32),2)"
draw "$tmp/dawn.jpg" "if($sun,255,if(lt(Y,220),90+Y*0.7,40+20*$string))" \
  "if($sun,215,if(lt(Y,220),70+Y*0.35,30+20*$string))" "if($sun,120,if(lt(Y,220),130-Y*0.2,60+30*$string))"
ring="mod(floor(hypot(X-160,Y-160)/22),4)"
draw "$tmp/world.png" "gt($ring,1)*190+30" "eq($ring,1)*95+eq($ring,2)*110+eq($ring,3)*30+70" "eq($ring,0)*40+eq($ring,1)*35+80"
moon="lt(hypot(X-245,Y-70),34)*gt(hypot(X-262,Y-60),32)" pipe="gt(Y,290-(170-abs(floor(X/20)-7.5)*18))*gt(mod(X,20),3)"
draw "$tmp/night.jpg" "if($moon,250,if($pipe,90+100*sin(PI*mod(X,20)/20),15))" \
  "if($moon,240,if($pipe,80+80*sin(PI*mod(X,20)/20),20+Y/12))" "if($moon,190,if($pipe,60+50*sin(PI*mod(X,20)/20),60+Y/5))"

# ---- Files -----------------------------------------------------------------

# save TUNE FILE COVER TAG=VALUE...: COVER is a picture to embed, or nothing
save() {
  local file="music/$2" args=(-i "$tmp/$1.wav") tag
  [[ -z $3 ]] || args+=(-i "$tmp/$3" -map 0 -map 1 -c:v copy -disposition:v attached_pic
    -metadata:s:v "comment=Cover (front)")
  for tag in "${@:4}" "${album[@]}"; do args+=(-metadata "$tag"); done
  case $file in
    *.flac) args+=(-c:a flac -compression_level 12) ;;
    *.mp3) args+=(-c:a libmp3lame -b:a 96k -id3v2_version 3) ;; # 2.3: the version every player reads
    *.m4a) args+=(-c:a aac -b:a 64k) ;;
    *.opus) args+=(-c:a libopus -b:a 48k) ;;
    *.ogg) args+=(-c:a libvorbis -q:a 2) ;;
  esac
  mkdir -p "${file%/*}"
  # bitexact: no encoder versions or times, so that two runs differ as little as can be
  ffmpeg -v error -y -fflags +bitexact "${args[@]}" -map_metadata -1 \
    -fflags +bitexact -flags:a +bitexact -threads 1 "$file"
}

# An album with embedded pictures, and one recording in two qualities.
dir="Ada Plume/Plucked at Dawn"
album=(album="Plucked at Dawn" album_artist="Ada Plume" date=2021)
prelude=(title="Prelude in C" artist="Ada Plume" track=1/3 disc=1/1 genre=Classical composer="Johann Sebastian Bach")
save prelude "$dir/01 Prelude in C.flac" dawn.jpg "${prelude[@]}"
save prelude "$dir/01 Prelude in C.mp3" dawn.jpg "${prelude[@]}"
# Lyrics inside the file. Not in an mp3: ffmpeg cannot write the frame for them.
save greensleeves "$dir/02 Greensleeves.m4a" dawn.jpg title=Greensleeves artist="Ada Plume" track=2/3 disc=1/1 \
  genre=Folk composer=Traditional lyrics="Alas, my love, you do me wrong
To cast me off discourteously,
And I have loved you so long,
Delighting in your company."
# Two artists: one line to show, and the list as MusicBrainz Picard writes it.
save frost "$dir/03 Morning Frost.mp3" dawn.jpg title="Morning Frost" artist="Ada Plume & Nils Öhlin" \
  ARTISTS="Ada Plume/Nils Öhlin" track=3/3 disc=1/1 genre=Ambient

# Two discs, the picture in the folder: ffmpeg cannot embed one in Ogg or Opus.
dir="Nils Öhlin/Nachtorgel"
album=(album=Nachtorgel artist="Nils Öhlin" album_artist="Nils Öhlin" date=2023 genre=Classical)
save ode "$dir/1-01 Ode an die Freude.opus" "" title="Ode an die Freude" track=1/2 disc=1/2 composer="Ludwig van Beethoven"
save menuett "$dir/1-02 Menuett in G.opus" "" title="Menuett in G" track=2/2 disc=1/2 composer="Christian Petzold"
save kanon "$dir/2-01 Kanon in D.ogg" "" title="Kanon in D" track=1/1 disc=2/2 composer="Johann Pachelbel"
cp "$tmp/night.jpg" "music/$dir/cover.jpg"
cat >"music/$dir/1-01 Ode an die Freude.lrc" <<'END'
[ti:Ode an die Freude]
[ar:Nils Öhlin]
[al:Nachtorgel]
[00:00.00]Freude, schöner Götterfunken,
[00:04.00]Tochter aus Elysium,
[00:08.00]Wir betreten feuertrunken,
[00:12.00]Himmlische, dein Heiligtum!
END
cat >"music/$dir/1-01 Ode an die Freude.en.lrc" <<'END'
[00:00.00]Joy, you lovely spark of heaven,
[00:04.00]Daughter of Elysium,
[00:08.00]Drunk with fire we are coming,
[00:12.00]Heavenly one, into your shrine!
END

# A compilation.
dir="Various Artists/Songs from Everywhere"
album=(album="Songs from Everywhere" album_artist="Various Artists" compilation=1 date=2024 genre=World composer=Traditional)
save jacques "$dir/01 Frère Jacques.m4a" world.png title="Frère Jacques" artist="The Talking Machine" track=1/3
save jasmine "$dir/02 茉莉花.m4a" world.png title=茉莉花 artist=纸灯笼 track=2/3
save maman "$dir/03 Ah ! vous dirai-je, maman.m4a" world.png title="Ah ! vous dirai-je, maman" artist="Ada Plume" track=3/3
# Word times; every line is sung twice.
cat >"music/$dir/01 Frère Jacques.lrc" <<'END'
[ti:Frère Jacques]
[ar:The Talking Machine]
[00:02.00]<00:02.00>Frère <00:03.00>Jacques, <00:04.00>
[00:04.00]<00:04.00>Frère <00:05.00>Jacques, <00:06.00>
[00:06.00]<00:06.00>Dormez <00:07.00>vous ? <00:08.00>
[00:08.00]<00:08.00>Dormez <00:09.00>vous ? <00:10.00>
[00:10.00]<00:10.00>Sonnez <00:10.50>les <00:10.75>matines, <00:12.00>
[00:12.00]<00:12.00>Sonnez <00:12.50>les <00:12.75>matines, <00:14.00>
[00:14.00]<00:14.00>Din, <00:14.50>din, <00:15.00>don ! <00:16.00>
[00:16.00]<00:16.00>Din, <00:16.50>din, <00:17.00>don ! <00:18.00>
END

# ---- Playlist --------------------------------------------------------------

{
  echo '#EXTM3U'
  while IFS='|' read -r name file; do
    length=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "music/$file")
    printf '#EXTINF:%.0f,%s\n%s\n' "$length" "$name" "$file"
  done <<'END'
纸灯笼 - 茉莉花|Various Artists/Songs from Everywhere/02 茉莉花.m4a
Ada Plume - Prelude in C|Ada Plume/Plucked at Dawn/01 Prelude in C.flac
Nils Öhlin - Ode an die Freude|Nils Öhlin/Nachtorgel/1-01 Ode an die Freude.opus
The Talking Machine - Frère Jacques|Various Artists/Songs from Everywhere/01 Frère Jacques.m4a
END
} >music/Favourites.m3u8
