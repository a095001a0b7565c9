import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identityTotalQuery } from '../../../api/identities.ts';
import { pageInWords, totalInWords } from './page-in-words.ts';
import type { ShownPage } from './shown-page.ts';
import type { IdentityList } from './use-identity-list.ts';
import { useNow } from './use-now.ts';

const AGE_STEP_MS = 10_000;

/** Where one is: page, rows, total and its age. The age ticks outside of what is announced. */
export function PageLine({ list, shown }: { list: IdentityList; shown: ShownPage }) {
  const searching = shown.question.identifier !== undefined;
  return (
    <Text size="sm" c="dimmed" component="div">
      <span role="status">{list.pending ? 'Loading…' : pageInWords(shown)}</span>
      {!searching && <Total />}
    </Text>
  );
}

function Total() {
  const { data, error } = useQuery(identityTotalQuery);
  const now = useNow(AGE_STEP_MS);
  if (data === undefined && error === null) return <span>, counting…</span>;
  return <span>, {totalInWords(data, now)}</span>;
}
