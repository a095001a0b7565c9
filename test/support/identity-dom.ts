import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { App, PageRequest } from './app-in-dom.tsx';
import { eventually } from './eventually.ts';

/** Waits until `place` contains a text, which may be in several elements. */
export const waitForText = (text: RegExp, place?: HTMLElement): Promise<void> =>
  eventually(() => (place ?? document.body).textContent, text);

export const findDialog = ({ screen }: App): Promise<HTMLElement> => screen.findByRole('dialog');

/** Presses a button of the dialog. */
export const pressInDialog = async (app: App, button: string | RegExp): Promise<void> =>
  app.press(button, await findDialog(app));

export const waitForNoDialog = ({ screen }: App): Promise<void> =>
  waitFor(() => assert.equal(screen.queryAllByRole('dialog').length, 0));

/** Closes the dialog by its button, since a key might be pressed before the dialog listens to it. */
export async function closeDialog(app: App): Promise<void> {
  const buttons = await within(await findDialog(app)).findAllByRole('button', { name: /^(?:Close|Cancel)$/ });
  await app.user.click(buttons.at(-1) as HTMLElement);
  await waitForNoDialog(app);
}

/** Chooses an action in the menu beside a person's name. */
export async function chooseInMenu(app: App, action: RegExp): Promise<void> {
  await app.press('More actions');
  await app.user.click(await app.screen.findByRole('menuitem', { name: action }));
}

/** The text in the field with this label, which must be there. */
export const fieldValue = ({ screen }: App, label: string | RegExp): string =>
  (screen.getByLabelText(label) as HTMLInputElement).value;

/** The identifiers in the rows of the list. */
export const listedIdentifiers = (): string[] =>
  [...document.querySelectorAll('tr[data-row]')].map(
    (row) => row.querySelector('a bdi:last-of-type')?.textContent ?? '',
  );

/** Chooses a file to import. */
export async function chooseFileToImport(
  app: App,
  { name, content }: { name: string; content: string },
): Promise<void> {
  await app.shows(/Choose a file/);
  await app.user.upload(document.querySelector('input[type=file]') as HTMLInputElement, new File([content], name));
}

/** Presses a button that saves a file. @returns its name and its text */
export async function savedFileOf(app: App, button: string | RegExp): Promise<{ name: string; text: string }> {
  app.savedFiles.length = 0;
  await app.press(button);
  await waitFor(() => assert.equal(app.savedFiles.length, 1));
  const [file] = app.savedFiles;
  return { name: file?.name ?? '', text: (await file?.content.text()) ?? '' };
}

/** The number beside a word in the summary of an import. */
export const summaryCount = (word: string): string | null | undefined =>
  [...document.querySelectorAll('dl > div')]
    .find((line) => line.querySelector('dt')?.textContent === word)
    ?.querySelector('dd')?.textContent;

type Stub = Response | object | undefined;

const SESSION = { user: { identityId: 'operator-1', email: 'admin@example.com', role: 'admin' } };

/**
 * Responds to every request of a page: with the JSON or the `Response` that `stub` returns, with the session of an
 * administrator, or else with 404.
 */
export const stubApi =
  (stub: (request: PageRequest) => Stub | Promise<Stub>): App['respond'] =>
  async (request) => {
    const response = (await stub(request)) ?? (request.path === '/api/auth/session' ? SESSION : undefined);
    if (response instanceof Response) return response.clone();
    if (response !== undefined) return Response.json(response);
    return Response.json({ error: 'not_found', message: `No response for ${request.path}.` }, { status: 404 });
  };

/** Opens a filter of a list, and chooses an option if one is named. */
export async function filterBy({ screen, user }: App, label: string, option?: string): Promise<void> {
  const chips = within(await screen.findByLabelText('Filters'));
  await user.click(await chips.findByText(new RegExp(`^(\\+ )?${label}(:|$)`)));
  if (option !== undefined) await user.click(await chips.findByText(option));
}
