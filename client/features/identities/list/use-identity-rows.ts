import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ListedIdentity } from '../../../../shared/identities.ts';
import { lastSignInsQuery, storedExtrasQuery } from '../../../api/identities-extras.ts';
import type { ColumnChoice } from '../../../resource/list/use-column-choice.ts';
import { identityRows } from './identity-columns.tsx';

const NOBODY: readonly ListedIdentity[] = [];

/** The rows as this operator wants to see them; what the list does not carry is asked for only where it is shown. */
export function useIdentityRows({ shown, has }: ColumnChoice, page: readonly ListedIdentity[] = NOBODY) {
  const ids = page.map(({ id }) => id);
  const { data: stored } = useQuery({
    ...storedExtrasQuery(ids),
    enabled: ids.length > 0 && (has('schema') || has('external')),
  });
  const { data: signIns } = useQuery({ ...lastSignInsQuery, enabled: has('sign-in') });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `has` says the same as long as `shown` is the same
  return useMemo(() => identityRows({ shown, has }, { stored, signIns }), [shown, stored, signIns]);
}
