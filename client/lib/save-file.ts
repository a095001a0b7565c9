const KEPT_MS = 60_000;

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download begins after this task; some browsers read the address only then.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** `identities-2026-11-21T0930.csv`: sorts by time, and is a valid name everywhere. */
export const fileName = (subject: string, extension: string, at = new Date()): string =>
  `${subject}-${at.toISOString().slice(0, 16).replace(':', '')}.${extension}`;
