const line = {
  home: 'M4 11l8-7 8 7M6 9.5V20h4.5v-5h3v5H18V9.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  fresh: 'M4.5 6h15v14h-15zM4.5 10.5h15M8.5 3.5v5M15.5 3.5v5',
  heart: 'M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.4 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10z',
  queue: 'M4 6h12M4 11h12M4 16h7M17 13v6l4-3z',
  lyrics: 'M5 5h14v11h-7l-4 4v-4H5zM9 9h6M9 12h4',
  volume: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  muted: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  sound: 'M5 7h7M17 7h2M14.5 9.5v-5M5 17h2M12 17h7M9.5 19.5v-5',
  shuffle: 'M3 7h3.5c4.5 0 6 10 10.5 10h3M3 17h3.5c1.6 0 2.8-1.3 3.8-3M13.5 9.5c.9-1.5 2-2.5 3.5-2.5h3' +
    'M18 4.5L20.5 7 18 9.5M18 14.5l2.5 2.5-2.5 2.5',
  repeat: 'M4 11V9.5A2.5 2.5 0 0 1 6.5 7H19M16.5 4.5L19 7l-2.5 2.5M20 13v1.5a2.5 2.5 0 0 1-2.5 2.5H5' +
    'M7.5 19.5L5 17l2.5-2.5',
  close: 'M6 6l12 12M18 6L6 18',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  plus: 'M12 5v14M5 12h14',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  chart: 'M5 20v-7M12 20V5M19 20v-11',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.8-4 3.7-6 7.5-6s6.7 2 7.5 6',
  spark: 'M12 3l2 6.5L20.5 12 14 14.5 12 21l-2-6.5L3.5 12 10 9.5z',
  star: 'M12 4l2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.7 9.6 9z',
  past: 'M4 12a8 8 0 1 1 3 6.2M4 20v-4.5h4.5M12 8v4.5l3 1.5',
  roam: 'M12 12C10 9 8.5 7.5 6.5 7.5a4.5 4.5 0 0 0 0 9C8.5 16.5 10 15 12 12' +
    's3.5-4.5 5.5-4.5a4.5 4.5 0 0 1 0 9C15.5 16.5 14 15 12 12z',
  inspect: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  swap: 'M5 8h13M15 5l3 3-3 3M19 16H6M9 13l-3 3 3 3',
  edit: 'M5 19l1-4L16.5 4.5l3 3L9 18zM14 7l3 3',
  download: 'M12 4v10.5M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
  trash: 'M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  album: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z'
} as const

const solid = {
  play: 'M8 5.2v13.6a.8.8 0 0 0 1.2.7l11-6.8a.8.8 0 0 0 0-1.4l-11-6.8a.8.8 0 0 0-1.2.7z',
  pause: 'M7 5h3.6v14H7zM13.4 5H17v14h-3.6z',
  next: 'M6 5.8v12.4a.7.7 0 0 0 1.1.6L16 12.6V18.5h2.4v-13H16v5.9L7.1 5.2a.7.7 0 0 0-1.1.6z',
  previous: 'M18 5.8v12.4a.7.7 0 0 1-1.1.6L8 12.6V18.5H5.6v-13H8v5.9l8.9-6.2a.7.7 0 0 1 1.1.6z',
  more: 'M5.5 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM12 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z' +
    'M18.5 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  favorite: line.heart
} as const

export type IconName = keyof typeof line | keyof typeof solid

/** Renders an icon. It is decorative: the surrounding control has a name. */
export function Icon ({ name, size = 22 }: { name: IconName, size?: number }) {
  const isSolid = Object.hasOwn(solid, name)
  return (
    <svg class={isSolid ? 'icon solid' : 'icon'} width={size} height={size} viewBox='0 0 24 24' aria-hidden='true'>
      <path d={(isSolid ? solid[name as keyof typeof solid] : line[name as keyof typeof line])} />
    </svg>
  )
}
