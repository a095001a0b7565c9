import { fold } from '../../../shared/text.ts';
import { type Command, type Fit, fitOf } from './found.tsx';

/** Other words for pages and actions. */
const SYNONYMS: readonly [label: RegExp, words: string][] = [
  [/^Identities/, 'users people accounts ban unban block 2fa mfa totp password recovery'],
  [/^(?:Sessions|Sign-ins|Audit trail)/, 'log history logins devices who'],
  [/^Messages/, 'mail emails sms courier'],
  [/^Clients/, 'apps applications rotate secret'],
  [/^(?:Introspect|Consents)/, 'token jwt grants permissions scopes'],
  [/^(?:Connections|Settings)/, 'social providers sso config secrets'],
  [/^Locked accounts/, 'unlock lockout blocked'],
  [/^(?:Operators|Security)/, 'admins team posture checks'],
  [/^(?:Overview|System)/, 'home dashboard health status'],
  [/^(?:Deac|Ac)tivate/, 'ban unban block unblock disable enable suspend'],
  [/^(?:Credentials|Create recovery code|Send recovery link)/, '2fa mfa totp password reset passkey backup'],
  [/^(?:Sign out|End all sessions)/, 'logout exit kick'],
  [/^Rotate secret/, 'renew key password'],
  [/^New /, 'add create register invite user person app'],
  [/^(?:Im|Ex)port/, 'csv upload download users'],
  [/^Theme/, 'night mode appearance'],
  [/^Keyboard shortcuts/, 'help keys hotkeys'],
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
    const others = SYNONYMS.filter(([one]) => one.test(label)).flatMap(([, list]) => list.split(' '));
    const isOther = (word: string): boolean =>
      word.length >= MIN_CHARACTERS && others.some((other) => other.startsWith(word));
    if (words.every((word) => folded.includes(word))) return folded.startsWith(search) ? 0 : 1;
    return words.every((word) => folded.includes(word) || isOther(word)) ? 2 : 3;
  };
  const found = commands.map((command) => ({ command, rank: rankOf(command) })).filter(({ rank }) => rank < 3);
  const best = found.toSorted((one, other) => one.rank - other.rank).map(({ command }) => command);
  return { commands: best, fit: fitOf(text, best[0]?.label) };
}
