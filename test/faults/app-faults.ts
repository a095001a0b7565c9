import type { Fault } from './source-change.ts';

/** Faults of the app. */
export const APP_FAULTS: readonly Fault[] = [
  {
    name: 'Invisible characters are not made visible',
    changes: [
      { in: 'client', find: /(export const visibleText = \(text: string\): string =>)[^;]+;/, replace: '$1 text;' },
    ],
    tests: ['test/client/visible-text.test.ts'],
    reason: /U\+/,
  },
  {
    name: "The dialog with a client's secret stays open after it was confirmed",
    changes: [
      {
        in: 'client/features/oauth-clients',
        find: /onStored=\{(?:onClose|\(\) => void open\(created\.id\))\}/,
        replace: 'onStored={() => {}}',
        everywhere: true,
      },
    ],
    tests: ['test/client/oauth-client-form.test.ts'],
    reason: /secret/i,
  },
  {
    name: "An undo overwrites another operator's change of a record",
    changes: [{ in: 'client', find: /conflicts\.length > 0/, replace: 'conflicts.length > 1_000' }],
    tests: ['test/client/undo.test.ts'],
    reason: /has since changed one of the members/,
  },
  {
    name: "An undo overwrites another operator's change of a setting",
    changes: [
      {
        in: 'client',
        find: /restoreVersion\(\{ key, version: undoVersion \}, over\)/,
        replace: 'restoreVersion({ key, version: undoVersion }, (await readTagged(key))?.tag ?? null)',
      },
    ],
    tests: ['test/client/undo.test.ts'],
    reason: /even for a setting that was changed twice/,
  },
  {
    name: 'A revealed setting is not hidden again',
    changes: [{ in: 'client/features/settings', find: /REVEALED_MS = 30_000/, replace: 'REVEALED_MS = 3_000_000' }],
    tests: ['test/client/settings.test.ts'],
    reason: /setting whose key has characters reserved in URLs/,
  },
  {
    name: 'A cell of a CSV report is a formula in a spreadsheet',
    changes: [
      { in: 'client/lib', find: /FORMULA\.test\(text\) \|\| \(SIGNED\.test\(text\)/, replace: '(SIGNED.test("")' },
    ],
    tests: ['test/client/transfer-round-trip.test.ts'],
    reason: /is written as a formula only if/,
  },
  {
    name: 'An identity is deleted without its identifier being typed',
    changes: [{ in: 'client/features/identities', find: /typed=\{displayName\(identity\)\}/, replace: '' }],
    tests: ['test/client/identity-page.test.ts'],
    reason: /requires the typed identifier for a deletion/,
  },
  {
    name: 'The app does not notice that the session has ended',
    changes: [{ in: 'client/api', find: /if \(failure\.status === 401[^;]*;/, replace: '' }],
    tests: ['test/client/shell.test.ts', 'test/client/query-client.test.ts'],
    reason: /notes that its data was not loaded/,
  },
  {
    name: 'A bulk action on all matching rows does not check them again',
    changes: [{ in: 'client/features/identities', find: /if \(!fits\(identity\)\)/, replace: 'if (false)' }],
    tests: ['test/client/identities-bulk.test.ts', 'test/client/search-snapshot.test.ts'],
    reason: /again with its sessions before any other act/,
  },
  {
    name: "The form overwrites another operator's change of a client",
    changes: [
      {
        in: 'client/record',
        find: /if \(theirs\.length > 0 && !isSaved\) \{/,
        replace: 'if (theirs.length > 1_000) {',
      },
    ],
    tests: ['test/client/oauth-clients.test.ts'],
    reason: /same members, and keeps their other changes/,
  },
  {
    name: 'The arrangement of the overview is not saved',
    changes: [{ in: 'client/features/overview', find: / {2}saver\.save\(layout\);/, replace: '' }],
    tests: ['test/client/overview.test.ts'],
    reason: /moves, resizes and removes the chosen widget/,
  },
  {
    name: 'The palette displays settings to a viewer',
    changes: [{ in: 'client/app/palette', find: /isSettled && may\('settings\.read'\)/, replace: 'isSettled' }],
    tests: ['test/client/palette.test.ts'],
    reason: /shows a viewer no results/,
  },
  {
    name: 'The chosen time zone is ignored',
    changes: [{ in: 'client/lib', find: /if \(offsets === undefined\) return -date/, replace: 'return -date' }],
    tests: ['test/client/times.test.ts'],
    reason: /until the operator chooses one, which must exist/,
  },
  {
    name: 'Unsaved changes are lost when the page is left for sign-in',
    changes: [
      {
        in: 'client/lib',
        find: /for \(const listener of leaveListeners\) listener\(\);(\s*\}\s*export function reload)/,
        replace: '$1',
      },
    ],
    tests: ['test/client/sign-in.test.ts'],
    reason: /which store drafts, before the page is left/,
  },
  {
    name: 'The list of identities is always empty',
    changes: [
      {
        in: 'client/api',
        find: /if \(response\.ok\) return response;/,
        replace: 'if (response.ok) return withEmptyLists(response);',
        append: `
function withEmptyLists(response: Response): Response {
  if (!response.url.includes('/api/identities/search?')) return response;
  const emptied = (value: unknown): unknown =>
    Array.isArray(value)
      ? []
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, emptied(member)]))
        : value;
  const read = response.text.bind(response);
  const json = async () => emptied(JSON.parse(await read()));
  return Object.assign(response, { json, text: async () => JSON.stringify(await json()) });
}
`,
      },
    ],
    tests: ['test/client/list-pages.test.ts'],
    reason: /shows its rows, or a message that there are none/,
  },
];
