import { visibleJson } from '../../format/visible-json.ts';
import { shellCommand } from '../../lib/shell-quoted.ts';

/** What is shown of a thing, and where it is read. */
export interface Copyable {
  /** Of the dashboard's own API. */
  path: string;
  /** As the page shows it: without what the page masks. */
  value: unknown;
}

/**
 * Reads the thing as the app did. The session's cookie is not part of it, to keep it out of the shell's history and of
 * wherever the command is pasted: a variable stands for it.
 */
export const curlCommand = (path: string): string =>
  `${shellCommand(['curl', '--fail-with-body', `${location.origin}${path}`])} \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"`;

/** The ways to copy a thing, by their labels. */
export const COPIES: readonly { label: string; text: (thing: Copyable) => string }[] = [
  { label: 'Copy as a curl command', text: ({ path }) => curlCommand(path) },
  { label: 'Copy as JSON', text: ({ value }) => visibleJson(value) },
];
