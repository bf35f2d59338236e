import { useLayoutEffect } from 'preact/hooks'

/** What scrolls under every view. */
export const scroller = () => document.getElementById('main')!

/**
 * Calls a function at once, and in the next frame whenever the view is scrolled or gets another size.
 *
 * @param keys what the function is made of
 */
export function useScroll (look: () => void, keys: readonly unknown[]): void {
  useLayoutEffect(() => {
    const main = scroller()
    let waits = 0
    const now = () => {
      waits = 0
      look()
    }
    const soon = () => { waits ||= requestAnimationFrame(now) }
    look()
    main.addEventListener('scroll', soon, { passive: true })
    const observer = new ResizeObserver(soon)
    observer.observe(main)
    return () => {
      cancelAnimationFrame(waits)
      main.removeEventListener('scroll', soon)
      observer.disconnect()
    }
  }, keys)
}
