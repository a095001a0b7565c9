/** A part of the app that was asked for and did not arrive. */
export class MissingPart extends Error {
  /** Whoever draws the part after this asks for it again. */
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super('This part could not be loaded.', { cause });
    this.name = 'MissingPart';
    this.forget = forget;
  }
}

/**
 * Whether the service now has another build than the one that runs here. Each build gives its first script a new name, so
 * the page as it is served now tells.
 * @throws when the page cannot be had
 */
export async function isNewVersionThere(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch(location.pathname, { headers: { Accept: 'text/html' }, cache: 'no-store' });
  if (!answer.ok) throw new Error(`The page was answered with status ${answer.status}.`);
  return running !== null && running !== undefined && !(await answer.text()).includes(running);
}
