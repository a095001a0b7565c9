const KEPT_MS = 60_000;

/** Saves a file through the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts after this task, and some browsers read the URL only then.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

/** `identities-2026-11-21T0930.csv`: sorts by time, and is a valid name on every system. */
export const fileName = (subject: string, extension: string, at = new Date()): string =>
  `${subject}-${at.toISOString().slice(0, 16).replace(':', '')}.${extension}`;
