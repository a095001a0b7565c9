import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';

interface ChosenFile {
  name: string;
  content: string;
}
export const chooseFile = async (page: Page, { name, content }: ChosenFile): Promise<void> => {
  await page.getByText('Choose a file').waitFor();
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(content) });
};
/** Presses a button that starts a download. */
export async function download(page: Page, button: string): Promise<Download> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return saved;
}
export const textOf = async (file: Download): Promise<string> => readFile(await file.path(), 'utf8');
