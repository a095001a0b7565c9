import type { ListedIdentity } from '../../../shared/identities.ts';
import { isObject, type JsonObject, text } from '../../../shared/json.ts';
import type { Setting } from '../../../shared/settings.ts';
import { FOUND_MAX } from '../../api/found.ts';
import { counted, digits } from '../../format/counted.ts';
import { identifierOf, nameOf } from '../../format/identity-name.ts';
import { visibleText } from '../../format/visible-text.ts';
import { idInPath } from '../../lib/id-in-path.ts';
import { IconAdjustments, IconApps, IconSearch, IconUsers } from '../../ui/icons.ts';
import { bestFirst, type Fit, fitOf, textsIn, unshownReason } from './best-first.ts';
import type { Command, Group } from './command.ts';
import type { Found } from './use-found.ts';

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
    ...failures.map(({ of, error }) => `No answer about ${of}: ${error.message}`),
  ];
  return sentences.filter(Boolean).join(' ');
}
