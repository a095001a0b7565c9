import { noneKnownFor } from '../../api/identity-filters.ts';
import { formatDays, formatPeriod } from '../../format/period.ts';
import { visibleText } from '../../format/visible-text.ts';
import { parsePeriod } from '../../lib/period.ts';
import type { IdentitiesSearch } from './identity-question.ts';

/** What narrows a search, in words, each with the name of its parameter; without order and page. */
export function describeFilters(search: IdentitiesSearch): { name: keyof IdentitiesSearch; label: string }[] {
  const { q, state, schema, verified, created, updated, session } = search;
  const labels = {
    q: q && `“${visibleText(q)}”`,
    state,
    schema: schema && `schema ${visibleText(schema)}`,
    verified: verified && (verified === 'yes' ? 'a verified address' : 'no verified address'),
    created: within('created', created),
    updated: within('updated', updated),
    session: formatNone(session) ?? within('last session', session),
  };
  return Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [{ name: name as keyof typeof labels, label }],
  );
}

function within(what: string, text: string | undefined): string | undefined {
  const period = parsePeriod(text);
  return period && `${what} ${formatPeriod(period)}`;
}

function formatNone(session: string | undefined): string | undefined {
  const days = noneKnownFor(session);
  if (days === undefined) return undefined;
  return days === 'ever' ? 'no session known' : `no session known for ${formatDays(days)}`;
}
