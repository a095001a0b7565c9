/** A route's response; `body` is JSON unless it is a string. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string;
}

type Headers = Record<string, string | string[]>;

export const json = (status: number, value: unknown, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
});

export const text = (status: number, body: string, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
});

export const html = (status: number, body: string, headers: Headers = {}): Answer => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers },
  body,
});

export const empty = (status: number, headers: Headers = {}): Answer => ({ status, headers });

/** The response of Go's router for an unknown path. */
export const pageNotFound = (): Answer => text(404, '404 page not found\n');
