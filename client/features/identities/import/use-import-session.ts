import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { identityTotalQuery } from '../../../api/identities.ts';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { findByExternalId } from '../../../api/identities-record.ts';
import { createIdentities, readStoredPage } from '../../../api/identity-batches.ts';
import { findByIdentifier } from '../../../api/identity-list.ts';
import { RequestError } from '../../../api/request-error.ts';
import { useLeaveQuestion } from '../../../resource/leave-question.tsx';
import type { PeopleStore } from './existing-people.ts';
import { browserStorage } from './import-progress.ts';
import { createImportSession, type ImportSession, type ImportStep } from './import-session.ts';

/** An import for as long as the page is shown; leaving stops it after the current request and keeps its progress. */
export function useImportSession(): { session: ImportSession; step: ImportStep; leaving: ReactNode } {
  const queryClient = useQueryClient();
  const [session] = useState(() =>
    createImportSession({
      create: createIdentities,
      storage: browserStorage(),
      people: peopleStore(queryClient),
      onEnd: () => void identitiesChanged(queryClient),
    }),
  );
  useEffect(() => () => session.cancel(), [session]);
  const step = useSyncExternalStore(session.subscribe, session.step);
  const leaving = useLeaveQuestion(step.step === 'run', 'import');
  return { session, step, leaving };
}

const peopleStore = (queryClient: QueryClient): PeopleStore => ({
  total: async () => (await queryClient.fetchQuery(identityTotalQuery)).total,
  hasIdentifier: async (identifier) => (await findByIdentifier(identifier)).length > 0,
  hasExternalId: (id) =>
    findByExternalId(id).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RequestError && error.status === 404) return false;
        throw error;
      },
    ),
  page: (token, signal) => readStoredPage(token, JSON.parse, signal),
});
