import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import type { App, PageRequest } from './app-in-dom.tsx';
import { eventually } from './eventually.ts';

/** As long as the queries of the app wait. */
const READ_MS = 60_000;

/** Waits until `place` has a text, which may stand in several elements. */
export const reads = (text: RegExp, place?: HTMLElement): Promise<void> =>
  eventually(() => (place ?? document.body).textContent, text, undefined, READ_MS);

export const dialogOf = ({ screen }: App): Promise<HTMLElement> => screen.findByRole('dialog');

/** Presses a button of the dialog. */
export const confirm = async (app: App, button: string | RegExp): Promise<void> =>
  app.press(button, await dialogOf(app));

export const noDialog = ({ screen }: App): Promise<void> =>
  waitFor(() => assert.equal(screen.queryAllByRole('dialog').length, 0));

/** Closes the dialog by its button; a key might be pressed before the dialog listens to it. */
export async function closeDialog(app: App): Promise<void> {
  const buttons = await within(await dialogOf(app)).findAllByRole('button', { name: /^(?:Close|Cancel)$/ });
  await app.user.click(buttons.at(-1) as HTMLElement);
  await noDialog(app);
}

/** Of the menu beside a person's name. */
export async function chooseInMenu(app: App, action: RegExp): Promise<void> {
  await app.press('More actions');
  await app.user.click(await app.screen.findByRole('menuitem', { name: action }));
}

/** Text in the field of this label, which must be there. */
export const typedIn = ({ screen }: App, label: string | RegExp): string =>
  (screen.getByLabelText(label) as HTMLInputElement).value;

/** Identifiers of the rows in the list. */
export const listed = (): string[] =>
  [...document.querySelectorAll('tr[data-row]')].map(
    (row) => row.querySelector('a bdi:last-of-type')?.textContent ?? '',
  );

/** Chooses a file to import. */
export async function chooseFileIn(app: App, { name, content }: { name: string; content: string }): Promise<void> {
  await app.shows(/Choose a file/);
  await app.user.upload(document.querySelector('input[type=file]') as HTMLInputElement, new File([content], name));
}

/** Presses a button that saves a file. @returns its name and its text */
export async function savedBy(app: App, button: string | RegExp): Promise<{ name: string; text: string }> {
  app.saved.length = 0;
  await app.press(button);
  await waitFor(() => assert.equal(app.saved.length, 1));
  const [file] = app.saved;
  return { name: file?.name ?? '', text: (await file?.content.text()) ?? '' };
}

/** The number beside a word at the end of an import. */
export const countIn = (word: string): string | null | undefined =>
  [...document.querySelectorAll('dl > div')]
    .find((line) => line.querySelector('dt')?.textContent === word)
    ?.querySelector('dd')?.textContent;

type Given = Response | object | undefined;

/** What every page of an administrator requests, so that a test has to give the responses of its own page only. */
const EVERYWHERE: Record<string, object> = {
  '/api/auth/session': { user: { identityId: 'operator-1', email: 'admin@example.com', role: 'admin' } },
};

/** For pages whose every response is given: JSON, or a whole response; 404 for what nobody gives. */
export const givenApi =
  (give: (request: PageRequest) => Given | Promise<Given>): App['respond'] =>
  async (request) => {
    const given = (await give(request)) ?? EVERYWHERE[request.path];
    if (given instanceof Response) return given.clone();
    if (given !== undefined) return Response.json(given);
    return Response.json({ error: 'not_found', message: `Nothing is given for ${request.path}.` }, { status: 404 });
  };

/** Opens the chip of a list's filter, and chooses an option there. */
export async function filterBy({ screen, user }: App, label: string, option?: string): Promise<void> {
  const chips = within(await screen.findByLabelText('Filters'));
  await user.click(await chips.findByText(new RegExp(`^(\\+ )?${label}(:|$)`)));
  if (option !== undefined) await user.click(await chips.findByText(option));
}
