const prefix = 'source-page:'

/** What this browser keeps under a name; the fallback when it has nothing that can be read. */
export function recall<T> (name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(prefix + name)
    return text === null ? fallback : JSON.parse(text) as T
  } catch {
    return fallback
  }
}

export function forget (name: string): void {
  try {
    localStorage.removeItem(prefix + name)
    sessionStorage.removeItem(prefix + name)
  } catch {}
}

/** The same of this tab, else of the browser: of what each tab has by itself, such as the queue. */
export function recallHere<T> (name: string, fallback: T): T {
  try {
    const text = sessionStorage.getItem(prefix + name)
    if (text !== null) return JSON.parse(text) as T
  } catch {}
  return recall(name, fallback)
}

/** Keeps a value for this tab, and for tabs that are opened later. */
export function keepHere (name: string, value: unknown): void {
  keep(name, value)
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {}
}

/** Keeps a value in this browser. A browser that keeps nothing, or has no room, does without. */
export function keep (name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {}
}
