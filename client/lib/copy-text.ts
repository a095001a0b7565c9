/**
 * Copies text to the clipboard. Browsers offer the asynchronous clipboard only to secure origins; on a plain-HTTP
 * address other than localhost the old command still works during the operator's click.
 */
export async function copyText(text: string): Promise<void> {
  try {
    if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  } catch {
    // A policy may forbid the one and not the other.
  }
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
