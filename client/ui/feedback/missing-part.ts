/** A part of the app that failed to load. */
export class MissingPart extends Error {
  /** Makes the next render request the part again. */
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super('This part could not be loaded.', { cause });
    this.name = 'MissingPart';
    this.forget = forget;
  }
}

/**
 * Whether the server now has another build than the running one. Each build names its entry script differently, so the
 * current page tells.
 * @throws when the page cannot be fetched
 */
export async function isNewVersionThere(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch(location.pathname, { headers: { Accept: 'text/html' }, cache: 'no-store' });
  if (!answer.ok) throw new Error(`The page was answered with status ${answer.status}.`);
  return running !== null && running !== undefined && !(await answer.text()).includes(running);
}
