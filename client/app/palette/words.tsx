import type { ReactNode } from 'react';
import { fold, searchTerms } from '../../../shared/text.ts';
import { type Command, type Fit, fitOf } from './found.tsx';

/** Other words for pages and actions, by the beginning of their labels. */
const SYNONYMS: readonly [label: string, words: string][] = [
  ['Identities', 'users people accounts customers ban 2fa mfa totp password'],
  ['Messages', 'mail emails sms courier'],
  ['Clients', 'apps applications rotate secret'],
  ['Introspect', 'token jwt'],
  ['Connections', 'social providers oidc sso'],
  ['Settings', 'configuration secrets'],
  ['Audit trail', 'log history'],
  ['Sign-ins', 'log logins failed'],
  ['Locked accounts', 'unlock blocked'],
  ['Operators', 'admins staff'],
  ['System', 'health status version'],
  ['Deactivate', 'ban block disable suspend'],
  ['Activate', 'unban unblock enable'],
  ['Create recovery code', 'password reset 2fa mfa'],
  ['Send recovery link', 'password reset'],
  ['Sign out', 'logout'],
  ['New identity', 'add create user'],
  ['New client', 'add create app'],
  ['Keyboard shortcuts', 'help keys'],
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
    if (words.every((word) => folded.includes(word))) return folded.startsWith(search) ? 0 : 1;
    const others = SYNONYMS.filter(([one]) => label.startsWith(one)).flatMap(([, list]) => list.split(' '));
    const isOther = (word: string): boolean =>
      word.length >= MIN_CHARACTERS && others.some((other) => other.startsWith(word));
    return words.every((word) => folded.includes(word) || isOther(word)) ? 2 : 3;
  };
  const ranked = [0, 1, 2].flatMap((rank) => commands.filter((command) => rankOf(command) === rank));
  return { commands: ranked, fit: fitOf(text, ranked[0]?.label) };
}

/** A text in which the words of a search are marked, ignoring case and accents; without a search, the text alone. */
export function Marked({ text, search }: { text: string; search: string | undefined }): ReactNode {
  const words = searchTerms(search ?? '').map((word) =>
    [...word].map((letter) => `${letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}\\p{M}*`).join(''),
  );
  if (words.length === 0) return text;
  const decomposed = text.normalize('NFD').split(new RegExp(`(${words.join('|')})`, 'iu'));
  const parts = decomposed.map((part) => part.normalize());
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change their order
  return parts.map((part, index) => (index % 2 === 0 ? part : <mark key={index}>{part}</mark>));
}
