import { isObject, type JsonObject } from '../../../../shared/json.ts';
import { sameJson } from '../../../resource/form/json-value.ts';
import { pointersToNotJson } from '../../../resource/form/not-json.ts';
import type { Problems } from '../../../resource/form/problems.ts';
import { isListKind, kindOfField } from '../client-fields.ts';
import { documentOf } from './client-document.ts';

/** The form's values, which may contain invalid JSON as text. */
export interface ClientDraft {
  members: unknown;
}

export const sameDraft = (a: ClientDraft, b: ClientDraft): boolean =>
  isObject(a.members) &&
  isObject(b.members) &&
  pointersToNotJson(a.members, '').length === 0 &&
  sameJson(documentOf(a.members), documentOf(b.members));

/** A draft in browser storage must hold no secret, and invalid JSON might. */
export function keepableDraft({ members }: ClientDraft): ClientDraft | undefined {
  if (!isObject(members) || pointersToNotJson(members, '').length > 0) return undefined;
  const { client_secret: _secret, ...kept } = members;
  return { members: kept };
}

/** The draft's members; those that differ from the stored ones without surrounding whitespace and empty lines. */
export function membersIn(
  { members }: ClientDraft,
  stored: JsonObject = {},
): { members: JsonObject } | { problems: Problems } {
  const places = pointersToNotJson(members, '');
  if (places.length > 0)
    return { problems: Object.fromEntries(places.map((place) => [place, 'This is not valid JSON.'])) };
  if (!isObject(members)) return { problems: { '': 'A client is a JSON object.' } };
  return {
    members: Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        name,
        sameJson(value, stored[name]) ? value : tidied(name, value),
      ]),
    ),
  };
}

function tidied(name: string, value: unknown): unknown {
  const kind = kindOfField(name);
  if (typeof value === 'string' && kind === 'scope') return value.trim().split(/\s+/).join(' ');
  if (typeof value === 'string' && kind !== undefined) return value.trim();
  if (!Array.isArray(value) || !isListKind(kind)) return value;
  return value.map((item) => (typeof item === 'string' ? item.trim() : item)).filter((item) => item !== '');
}
