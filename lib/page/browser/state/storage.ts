const prefix = 'source-page:'

/** Reads a value of this browser; the fallback if it is missing or unreadable. */
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

/** Reads a value of this tab, else of the browser. Used for data that each tab has separately, such as the queue. */
export function recallHere<T> (name: string, fallback: T): T {
  try {
    const text = sessionStorage.getItem(prefix + name)
    if (text !== null) return JSON.parse(text) as T
  } catch {}
  return recall(name, fallback)
}

/** Stores a value for this tab, and for tabs that are opened later. */
export function keepHere (name: string, value: unknown): void {
  keep(name, value)
  try {
    sessionStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {}
}

/** Stores a value in this browser. Without storage, or if the storage is full, nothing happens. */
export function keep (name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value))
  } catch {}
}
