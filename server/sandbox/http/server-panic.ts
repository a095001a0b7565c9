/** What makes the real server panic: it answers nothing and breaks the connection. */
export class ServerPanic extends Error {}
