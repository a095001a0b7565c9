import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';

interface ChosenFile {
  name: string;
  content: string;
}
export const chooseFile = async (page: Page, { name, content }: ChosenFile): Promise<void> => {
  await page.getByText('Choose a file').waitFor();
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
};
/** An import file of `count` people, whose external ids start with the group's name. */
export const people = (group: string, count: number): ChosenFile => ({
  name: `${group}.ndjson`,
  content: Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      schema_id: 'customer',
      traits: { email: `${group}-${index}@b.example` },
      external_id: `${group}-${index}`,
    }),
  ).join('\n'),
});
/** The number of identities in each batch sent so far. */
export const batches = ({ upstream }: InterceptedDashboard): number[] =>
  upstream.seen
    .filter(({ method, path }) => method === 'PATCH' && path === '/admin/identities')
    .map(({ body }) => (JSON.parse(body) as { identities: unknown[] }).identities.length);
/** Presses a button that starts a download. */
export async function download(page: Page, button: string): Promise<Download> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return saved;
}
export const textOf = async (file: Download): Promise<string> => readFile(await file.path(), 'utf8');
