const line = {
  home: 'M4 11l8-7 8 7M6 9.5V20h4.5v-5h3v5H18V9.5',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  fresh: 'M4.500 6h15v14h-15zM4.500 10.500h15M8.500 3.500v5M15.5 3.500v5',
  heart: 'M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.4 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10z',
  queue: 'M4 6h12M4 11h12M4 16h7M17 13v6l4-3z',
  lyrics: 'M5 5h14v11h-7l-4 4v-4H5zM9 9h6M9 12h4',
  volume: 'M4 9.500v5h3.500L12 18.500v-13L7.5 9.500zM15.5 9a4 4 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11',
  muted: 'M4 9.500v5h3.500L12 18.500v-13L7.5 9.500zM16 9.500l5 5M21 9.500l-5 5',
  sound: 'M5 7h7M17 7h2M14.5 9.5v-5M5 17h2M12 17h7M9.5 19.5v-5',
  shuffle: 'M3 7h3.500c4.5 0 6 10 10.5 10h3M3 17h3.500c1.6 0 2.8-1.3 3.8-3M13.5 9.500c.9-1.5 2-2.5 3.5-2.500h3' +
    'M18 4.500L20.5 7 18 9.500M18 14.500l2.5 2.5-2.5 2.5',
  repeat: 'M4 11V9.500A2.5 2.5 0 0 1 6.5 7H19M16.5 4.500L19 7l-2.5 2.500M20 13v1.500a2.5 2.5 0 0 1-2.5 2.500H5' +
    'M7.5 19.500L5 17l2.5-2.5',
  close: 'M6 6l12 12M18 6L6 18',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  plus: 'M12 5v14M5 12h14',
  list: 'M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01',
  chart: 'M5 20v-7M12 20V5M19 20v-11',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.500c.8-4 3.7-6 7.5-6s6.7 2 7.5 6',
  spark: 'M12 3l2 6.500L20.5 12 14 14.5 12 21l-2-6.500L3.5 12 10 9.500z',
  past: 'M4 12a8 8 0 1 1 3 6.200M4 20v-4.500h4.500M12 8v4.500l3 1.5',
  roam: 'M12 12C10 9 8.500 7.500 6.500 7.500a4.500 4.500 0 0 0 0 9C8.500 16.500 10 15 12 12' +
    's3.500-4.500 5.500-4.500a4.500 4.500 0 0 1 0 9C15.500 16.500 14 15 12 12z',
  inspect: 'M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5',
  swap: 'M5 8h13M15 5l3 3-3 3M19 16H6M9 13l-3 3 3 3',
  edit: 'M5 19l1-4L16.5 4.500l3 3L9 18zM14 7l3 3',
  download: 'M12 4v10.500M7.5 10.500L12 15l4.5-4.500M5 19.500h14',
  trash: 'M5 7h14M9.5 7V4.500h5V7M7 7l1 13h8l1-13',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  album: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4z'
} as const

const solid = {
  play: 'M8 5.200v13.600a.8.8 0 0 0 1.2.7l11-6.800a.8.8 0 0 0 0-1.400l-11-6.800a.8.8 0 0 0-1.2.7z',
  pause: 'M7 5h3.600v14H7zM13.4 5H17v14h-3.600z',
  next: 'M6 5.800v12.400a.7.7 0 0 0 1.1.6L16 12.600V18.500h2.400v-13H16v5.900L7.1 5.200a.7.7 0 0 0-1.1.6z',
  previous: 'M18 5.800v12.400a.7.7 0 0 1-1.1.6L8 12.600V18.500H5.600v-13H8v5.900l8.9-6.200a.7.7 0 0 1 1.1.6z',
  more: 'M5.5 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM12 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z' +
    'M18.5 13.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  favorite: line.heart
} as const

export type IconName = keyof typeof line | keyof typeof solid

/** Decoration: the control around it has the name. */
export function Icon ({ name, size = 22 }: { name: IconName, size?: number }) {
  const isSolid = Object.hasOwn(solid, name)
  return (
    <svg class={isSolid ? 'icon solid' : 'icon'} width={size} height={size} viewBox='0 0 24 24' aria-hidden='true'>
      <path d={(isSolid ? solid[name as keyof typeof solid] : line[name as keyof typeof line])} />
    </svg>
  )
}
