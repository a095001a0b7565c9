import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Matches } from '../../api/cursor-page.ts';
import { findByExternalId, plainSearch } from '../../api/identities.ts';
import { needsIndex } from '../../api/identity-filters.ts';
import { unlessGone } from '../../api/request.ts';
import { inWords } from '../../api/search-snapshot.ts';
import { clockTime } from '../../lib/format-time.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { Dimmed } from '../../ui/layout.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import type { IdentitiesSearch } from './identity-resource.ts';

const route = getRouteApi('/signed-in/identities');

/**
 * Explains an empty search result, and suggests other searches for the text.
 * @param props.matches of the index; undefined for the Kratos list
 * @param props.refused neither the index nor the Kratos list could run the search
 */
export function NoMatch(props: { search: IdentitiesSearch; matches: Matches | undefined; refused: boolean }) {
  const { search, matches, refused } = props;
  const { q } = search;
  const panel = (title: string, text: string, others: Omit<Parameters<typeof OtherSearches>[0], 'search'>) => (
    <StatePanel kind="no-match" title={title} text={text} actions={<OtherSearches search={search} {...others} />} />
  );
  if (refused && needsIndex(search))
    return panel(
      'Filters are unavailable',
      `The index of identities is off or still empty, so this search is not possible: ${inWords(search)}.`,
      {},
    );
  if (matches !== undefined)
    return panel('Nobody matches', `Searched for: ${inWords(search)}. ${freshness(matches, search)}`, { text: q });
  const { prefix, identifier = '' } = plainSearch(q);
  if (prefix === undefined)
    return panel(
      'No identity signs in with this',
      'The whole identifier must match. Only login identifiers can be searched, not names or other traits. Did you mean something else?',
      { text: identifier, instead: ['Search as prefix', `${identifier}*`] },
    );
  return panel(
    refused ? 'This identity service does not support prefix search' : 'No identifier begins with this',
    refused
      ? 'Prefix search is experimental in Kratos, and this version does not have it. Search for the whole identifier, or choose another search.'
      : 'Only the beginning of login identifiers is searched, not names or other traits. Did you mean something else?',
    { text: prefix, instead: ['Search for the whole identifier', prefix] },
  );
}

/** How current the index is, and who is found nevertheless, unless a note says that the identity service failed. */
function freshness({ complete, asOf, note }: Matches, { q, session }: IdentitiesSearch): string {
  const age = asOf === null ? '' : `People as of ${clockTime(Date.parse(asOf), Date.now())}. `;
  const exact = 'A whole e-mail, username or ID also finds people who were added or renamed since then.';
  return `${age}${complete ? '' : 'The index is incomplete. '}${note || (q && session === undefined ? exact : '')}`;
}

function OtherSearches(props: {
  search: IdentitiesSearch;
  text?: string | undefined;
  instead?: readonly [label: string, q: string];
}) {
  const { search, text, instead } = props;
  const { q, sort, page_size } = search;
  const navigate = route.useNavigate();
  const { run, pending, failure } = useSingleFlight();
  const id = text && identityIdIn(text);

  const searchButton = (label: string, other: IdentitiesSearch) => (
    <SmallButton onClick={() => void navigate({ search: other })}>{label}</SmallButton>
  );
  const lookUpExternal = (externalId: string) =>
    run(async () => {
      const found = await findByExternalId(externalId).catch(unlessGone);
      if (found === undefined) throw new Error('No identity has this external ID either.');
      await navigate({ to: '/identities/$id', params: { id: found.id } });
    });

  return (
    <Stack gap="sm" align="center">
      <Group gap="xs" justify="center">
        {id && (
          <Button size="xs" onClick={() => void navigate({ to: '/identities/$id', params: { id } })}>
            Open as identity ID
          </Button>
        )}
        {instead && searchButton(instead[0], { ...search, q: instead[1] })}
        {text !== undefined && (
          <SmallButton loading={pending} onClick={() => void lookUpExternal(text)}>
            Look up as external ID
          </SmallButton>
        )}
        {needsIndex(search) && searchButton('Clear the filters', { q, sort, page_size })}
        {q !== undefined && searchButton('Clear the search', { ...search, q: undefined })}
      </Group>
      {text !== undefined && (
        <Dimmed size="xs">
          {text.includes(':')
            ? 'Searched as provider:subject, which must match including case.'
            : 'For a social sign-in, search for provider:subject, such as google:1234.'}
        </Dimmed>
      )}
      <FailureNote error={failure} />
    </Stack>
  );
}
