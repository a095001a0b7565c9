/**
 * Puts text on the clipboard. Browsers offer the asynchronous clipboard on secure origins alone; on a plain-http
 * address other than localhost the old command still works, within the operator's own click.
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const holder = document.createElement('textarea');
  holder.value = text;
  holder.setAttribute('aria-hidden', 'true');
  const focused = document.activeElement;
  document.body.append(holder);
  holder.select();
  const done = document.execCommand('copy');
  holder.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error('The browser did not allow copying.');
}
