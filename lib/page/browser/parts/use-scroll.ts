import { useLayoutEffect } from 'preact/hooks'

/** Returns the element that scrolls every view. */
export const scroller = () => document.getElementById('main')!

/**
 * Calls a function immediately, and in the next frame after the view is scrolled or resized.
 *
 * @param keys the dependencies of the function
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
