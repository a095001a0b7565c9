import { Box, Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { fold } from '../../../shared/text.ts';
import type { Identity } from '../../api/identities.ts';
import { similarIdentities } from '../../api/identity-search.ts';
import { displayName, identifierOf, nameOf } from '../../lib/identity-name.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { useFocusAfterRender } from '../../ui/hooks.tsx';
import { TextLink } from '../../ui/layout.tsx';

/** Finds people whose identifier is easily mistaken for this one. Runs on click only, since the search is audited. */
export function SimilarIdentifiers({ identity }: { identity: Identity }) {
  const identifier = identifierOf(identity);
  const parts = identifier === undefined ? [] : similarParts(identifier);
  const result = useRef<HTMLDivElement>(null);
  const focusAfterRender = useFocusAfterRender();
  const search = useMutation({
    mutationFn: async () => {
      const found = await similarIdentities(parts);
      return (
        found?.filter((one) => {
          const other = identifierOf(one);
          return one.id !== identity.id && other !== undefined && isSimilar(other, identifier ?? '');
        }) ?? null
      );
    },
    retry: false,
    // The pressed button has disappeared.
    onSettled: () => focusAfterRender(() => result.current),
  });
  if (identifier === undefined || parts.length === 0) return null;
  const { data } = search;
  return (
    <Box mt="sm" role="status" ref={result} tabIndex={-1} style={{ outline: 'none' }}>
      {search.error !== null && <FailurePanel error={search.error} onRetry={() => search.mutate()} />}
      {data === undefined && search.error === null && (
        <Button size="xs" variant="default" loading={search.isPending} onClick={() => search.mutate()}>
          Look for similar identifiers
        </Button>
      )}
      {data === null && <Text size="sm">The index is off or still empty, so similar identifiers cannot be found.</Text>}
      {data?.length === 0 && <Text size="sm">Found no other identifier like {visibleText(identifier)}.</Text>}
      {data != null && data.length > 0 && (
        <>
          <Text size="sm">The person may mean one of these similar identifiers:</Text>
          <Stack component="ul" gap="0.625rem" m="var(--mantine-spacing-sm) 0 0" p={0} aria-label="Similar identifiers">
            {data.map((one) => (
              <Box component="li" display="block" key={one.id}>
                <TextLink size="sm" to="/identities/$id" params={{ id: one.id }} preload={false}>
                  {visibleText(displayName(one))}
                </TextLink>{' '}
                <Text span size="sm" c="dimmed">
                  {visibleText(nameOf(one) ?? '')}
                </Text>
              </Box>
            ))}
          </Stack>
        </>
      )}
    </Box>
  );
}

/** Shorter parts match too many names. */
const PART_MIN = 3;

/** The distinctive part of an identifier: for an address, the part before `@` without a tag (`+news`). */
const nameIn = (identifier: string): string => fold(identifier).replace(/@.*$/s, '').replace(/\+.*$/s, '');

/**
 * Splits an identifier into halves to search for. A single wrong, missing or extra letter leaves one half intact.
 * @returns an empty list for an identifier that is too short
 */
export function similarParts(identifier: string): string[] {
  const name = [...nameIn(identifier)];
  const half = Math.ceil(name.length / 2);
  const parts = [name.slice(0, half), name.slice(half)].map((part) => part.join(''));
  return [...new Set(parts)].filter((part) => [...part].length >= PART_MIN);
}

/**
 * Whether two identifiers are easily mistaken for each other: they differ only in case, accents, separators, a tag, the
 * domain of an address, one letter, or the order of two letters.
 */
export function isSimilar(one: string, other: string): boolean {
  const [a, b] = [one, other].map((identifier) => nameIn(identifier).replace(/[.\-_ ]/g, ''));
  return a !== undefined && b !== undefined && a !== '' && differsAtMostOnce(a, b);
}

/** True for one letter added, omitted or replaced, or for two adjacent letters swapped. */
function differsAtMostOnce(one: string, other: string): boolean {
  const [short, long] = [[...one], [...other]].sort((a, b) => a.length - b.length) as [string[], string[]];
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  const [a = [], b = []] = [short, long].map((letters) => letters.slice(start, letters.length - end));
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0]);
}
