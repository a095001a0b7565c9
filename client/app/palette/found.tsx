import {
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import type { ClientSearchPage } from '../../../shared/client-search.ts';
import { type IdentitySearchPage, type ListedIdentity, PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';
import { isObject, type JsonObject, text } from '../../../shared/json.ts';
import type { Setting } from '../../../shared/settings.ts';
import { findByExternalId } from '../../api/identities.ts';
import {
  FOUND_MAX,
  foundClientsQuery,
  foundIdentitiesQuery,
  identityPageQuery,
  plainSearch,
} from '../../api/identity-search.ts';
import { useCan } from '../../api/session.ts';
import { settingPagesQuery } from '../../api/settings.ts';
import { idInPath } from '../../lib/encoding.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { identifierOf, identityIdIn, nameOf } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { IconAdjustments, IconApps, IconSearch, IconUsers } from '../../ui/shell-icons.tsx';
import { bestFirst, type Fit, fitOf, questionIn, textsIn, unshownReason } from './best-first.ts';

/** A line of the palette. */
export interface Command {
  id: string;
  label: string;
  about: string | undefined;
  icon: ReactNode;
  /** If it returns a promise, the palette closes once it resolves. */
  run: () => void | Promise<void>;
}

export interface Group {
  /** Absent for commands that need no heading. */
  name?: string;
  commands: readonly Command[];
  /** How well its first command fits the typed text. */
  fit: Fit;
  /** What the commands are: things that were found for the text, or other ways to search for it. */
  kind?: 'found' | 'searches';
}

/**
 * Finds one identity by its id, login identifier or external id.
 * @returns the path of its page; undefined for none, for several, or when the lookup fails: the list's own search then
 * shows the result
 */
export async function findIdentity(text: string, queryClient: QueryClient): Promise<string | undefined> {
  const id = identityIdIn(text);
  if (id !== undefined) return addressOf(id);
  if (plainSearch(text).prefix !== undefined) return findByBeginning(text, queryClient);
  try {
    const page = await queryClient.fetchQuery(identityPageQuery({ ...FIRST_PAGE, ...plainSearch(text) }));
    const [only, ...others] = page.identities;
    if (only !== undefined) return others.length === 0 && !page.has_more ? addressOf(only.id) : undefined;
    return addressOf((await findByExternalId(text)).id);
  } catch {
    return undefined;
  }
}

/**
 * Finds the one identity with a login identifier that begins like this, with or without a trailing star. Without the
 * star it may also be an external id, if no identifier begins like it. Undefined as above.
 */
export async function findByBeginning(text: string, queryClient: QueryClient): Promise<string | undefined> {
  try {
    const { identities, has_more } = await queryClient.fetchQuery(
      identityPageQuery({ ...FIRST_PAGE, ...plainSearch(`${text}*`) }),
    );
    const [only, ...others] = identities;
    if (only === undefined && !text.endsWith('*')) return addressOf((await findByExternalId(text)).id);
    return only !== undefined && others.length === 0 && !has_more ? addressOf(only.id) : undefined;
  } catch {
    return undefined;
  }
}

const FIRST_PAGE = { pageSize: PAGE_SIZE_DEFAULT, token: undefined };
const addressOf = (id: string): string => `/identities/${id}`;

/** After the last key. */
const ASKED_AFTER_MS = 400;

/** What the services say to the typed text; of each kind undefined until they have. */
export interface Found {
  /** Without the stars at its end; undefined where nothing is asked. */
  text: string | undefined;
  /** A question is waiting or under way. */
  pending: boolean;
  /** Asks without waiting for another key. */
  askNow: () => void;
  identities: IdentitySearchPage | undefined;
  clients: ClientSearchPage | undefined;
  settings: { rows: readonly Setting[]; hasMore: boolean } | undefined;
  failures: readonly { of: string; error: Error }[];
}

/**
 * Finds identities, OAuth2 clients and settings by any part, those that the operator may read: 400 ms after the last key
 * or at once on request. What was asked before the text changed is aborted and never shown.
 */
export function useFound(typed: string): Found {
  const may = useCan();
  const text = questionIn(typed);
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ASKED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isAsked = text !== undefined && settled === text;
  const wanted = text ?? '';

  // An id is nothing that traits contain, and has a command of its own.
  const isId = identityIdIn(wanted) !== undefined;
  const identities = useIndexed(foundIdentitiesQuery(wanted), isAsked && !isId && may('identities.read'));
  const clients = useIndexed(foundClientsQuery(wanted), isAsked && may('upstreams.read'));
  const settings = useInfiniteQuery({
    ...settingPagesQuery({ q: wanted }),
    enabled: isAsked && may('settings.read'),
  });
  const page = isAsked ? settings.data?.pages[0] : undefined;
  const answers = { identities, 'OAuth2 clients': clients, settings };
  return {
    text,
    pending: text !== undefined && (!isAsked || Object.values(answers).some(({ isLoading }) => isLoading)),
    askNow: () => setSettled(text),
    identities: (isAsked && identities.data) || undefined,
    clients: (isAsked && clients.data) || undefined,
    settings: page && { rows: page.settings, hasMore: page.has_more },
    failures: Object.entries(answers).flatMap(([of, { error }]) => (isAsked && error !== null ? [{ of, error }] : [])),
  };
}

/** Asks until the answer is that nothing is indexed, and then no more while the palette is open. */
function useIndexed<T, Key extends QueryKey>(
  query: UseQueryOptions<T | null, Error, T | null, Key>,
  enabled: boolean,
): UseQueryResult<T | null> {
  const [isOff, setOff] = useState(false);
  const answer = useQuery({ ...query, enabled: enabled && !isOff });
  if (answer.data === null && !isOff) setOff(true);
  return answer;
}

/** Opens a page of the app. */
type Open = (to: string, search?: Record<string, string>) => void;
type FoundCommand = Command & { fit: Fit };

/** What was found as commands, at most five of a kind, those that fit best first. */
export function foundGroups({ text: wanted, identities, clients, settings }: Found, open: Open): Group[] {
  if (wanted === undefined) return [];
  const { total = 0, has_more: isCut = false, identities: rows = [] } = identities ?? {};
  const all: Command = {
    id: 'all identities',
    label: total === null ? 'All identities that match' : `All ${digits(total)} identities that match`,
    about: undefined,
    icon: <IconSearch size={18} />,
    run: () => open('/identities', { q: wanted }),
  };
  // Who has changed since and no longer matches was not looked for.
  const people = rows.filter(({ changed }) => !changed).map((identity) => identityCommand(identity, wanted, open));
  return [
    group('Identities', people, isCut ? [all] : []),
    group(
      'OAuth2 clients',
      (clients?.clients ?? []).filter(hasId).map((client) => clientCommand(client, wanted, open)),
    ),
    group('Settings', settings?.rows.map((setting) => settingCommand(setting, wanted, open)) ?? []),
  ].filter(({ commands }) => commands.length > 0);
}

function group(name: string, found: readonly FoundCommand[], rest: readonly Command[] = []): Group {
  const best = bestFirst(found).slice(0, FOUND_MAX);
  return { name, kind: 'found', fit: best[0]?.fit ?? 2, commands: [...best, ...rest] };
}

function identityCommand(identity: ListedIdentity, wanted: string, open: Open): FoundCommand {
  const { id, state, traits } = identity;
  const texts = textsIn(isObject(traits) ? traits : {});
  const [identifier, name] = [identifierOf(identity), nameOf(identity)];
  const label = name ?? identifier ?? id;
  const shown = [label, identifier].filter((one) => one !== undefined);
  // Why it was found, if neither of them says so.
  const why = unshownReason(texts, shown, wanted);
  return {
    id: `identity ${id}`,
    label: visibleText(label),
    about: line([label === identifier ? undefined : identifier, why, state === 'active' ? undefined : state]),
    icon: <IconUsers size={18} />,
    run: () => open(`/identities/${id}`),
    fit: fitOf(wanted, identifier, texts),
  };
}

const hasId = ({ client_id }: JsonObject): boolean => text(client_id) !== '';

function clientCommand(client: JsonObject, wanted: string, open: Open): FoundCommand {
  const [id, name, owner] = [text(client.client_id), text(client.client_name), text(client.owner)];
  return {
    id: `client ${id}`,
    label: visibleText(name || id),
    about: line([name && id, owner && `owner ${owner}`]),
    icon: <IconApps size={18} />,
    run: () => open(`/oauth/clients/${idInPath(id)}`),
    fit: fitOf(wanted, id, [name, owner]),
  };
}

const settingCommand = ({ key, category }: Setting, wanted: string, open: Open): FoundCommand => ({
  id: `setting ${key}`,
  label: visibleText(key),
  about: line([category]),
  icon: <IconAdjustments size={18} />,
  run: () => open('/settings', { key }),
  fit: fitOf(wanted, key),
});

const line = (parts: readonly (string | null | undefined)[]): string | undefined =>
  parts
    .filter(Boolean)
    .map((part) => visibleText(part as string))
    .join(' · ') || undefined;

/** `Found: 551 identities, 1 OAuth2 client, 12 settings.` What could not be searched is said as well. */
export function formatFound({ pending, identities, clients, settings, failures }: Found): string {
  const counts = [
    identities &&
      (identities.total === null ? 'more than 10,000 identities' : counted(identities.total, 'identity', 'identities')),
    clients && counted(clients.total, 'OAuth2 client', 'OAuth2 clients'),
    settings && `${settings.hasMore ? 'at least ' : ''}${counted(settings.rows.length, 'setting', 'settings')}`,
  ].filter((count) => count !== undefined);
  const sentences = [
    pending ? 'Searching…' : counts.length > 0 && `Found: ${counts.join(', ')}.`,
    ...[
      identities && !identities.index.complete && counted(identities.index.identities, 'identity', 'identities'),
      clients && !clients.index.complete && counted(clients.index.clients, 'OAuth2 client', 'OAuth2 clients'),
    ].map((searched) => searched && `Only ${searched} could be searched, not all.`),
    ...failures.map(({ of, error }) => `No response for ${of}: ${error.message}`),
  ];
  return sentences.filter(Boolean).join(' ');
}
