import { fold } from '../../../shared/text.ts';
import { type Command, type Fit, fitOf } from './found.tsx';

/** Other words for pages and actions, by the beginning of their labels. */
const SYNONYMS: readonly [label: string, words: string][] = [
  ['Identities', 'users people persons accounts customers ban block unblock 2fa mfa totp password recovery'],
  ['Sessions', 'devices signed-in logins'],
  ['Messages', 'mail emails sms courier'],
  ['Schemas', 'traits fields'],
  ['Clients', 'apps applications rotate secret'],
  ['Consents', 'grants permissions scopes'],
  ['Introspect', 'token jwt revoke'],
  ['Connections', 'social providers oidc sso google github apple'],
  ['Settings', 'config configuration secrets'],
  ['Security', 'posture checks'],
  ['Audit trail', 'log history who changed'],
  ['Sign-ins', 'log logins failed attempts'],
  ['Locked accounts', 'unlock lockout blocked'],
  ['Operators', 'admins staff team'],
  ['System', 'health status version'],
  ['Overview', 'home dashboard statistics'],
  ['Deactivate', 'ban block disable suspend'],
  ['Activate', 'unban unblock enable'],
  ['Create recovery code', 'password reset 2fa mfa totp'],
  ['Send recovery link', 'password reset'],
  ['Sign out everywhere', 'logout kick'],
  ['End all sessions', 'logout kick'],
  ['Credentials', '2fa mfa totp authenticator passkey password backup codes'],
  ['Rotate secret', 'renew key password'],
  ['Import identities', 'upload csv users'],
  ['Export identities', 'download csv users'],
  ['New identity', 'add create user person invite'],
  ['New client', 'add create app application register'],
  ['Sign out', 'logout exit quit'],
  ['Theme', 'dark night mode appearance'],
  ['Keyboard shortcuts', 'help keys hotkeys'],
];
/** Shorter words match too many. */
const MIN_CHARACTERS = 3;

/**
 * Commands with every typed word in their label, or else at the beginning of another word for it. Labels come before
 * other words, and beginnings first.
 */
export function matching(commands: readonly Command[], text: string): { commands: Command[]; fit: Fit } {
  const search = fold(text);
  const words = search.split(/\s+/);
  const rankOf = ({ label }: Command): number => {
    const folded = fold(label);
    const others = SYNONYMS.filter(([one]) => label.startsWith(one)).flatMap(([, list]) => list.split(' '));
    const isOther = (word: string): boolean =>
      word.length >= MIN_CHARACTERS && others.some((other) => other.startsWith(word));
    if (words.every((word) => folded.includes(word))) return folded.startsWith(search) ? 0 : 1;
    return words.every((word) => folded.includes(word) || isOther(word)) ? 2 : 3;
  };
  const found = commands.map((command) => ({ command, rank: rankOf(command) })).filter(({ rank }) => rank < 3);
  const best = found.toSorted((one, other) => one.rank - other.rank).map(({ command }) => command);
  return { commands: best, fit: fitOf(text, best[0]?.label) };
}
