/** The real server panics here: it breaks the connection without a response. */
export class ServerPanic extends Error {}
