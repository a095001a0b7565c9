import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { IDENTITY_PAGES_KEY, identityTotalQuery } from '../../../api/identities.ts';
import { createIdentities } from '../../../api/identity-batches.ts';
import { useLeaveWarning } from '../../../ui/use-leave-warning.ts';
import { browserStorage } from './import-progress.ts';
import { createImportSession, type ImportSession, type ImportStep } from './import-session.ts';

/** An import for as long as the page is shown; leaving ends it after the request under way, and its progress is kept. */
export function useImportSession(): { session: ImportSession; step: ImportStep } {
  const queryClient = useQueryClient();
  const [session] = useState(() =>
    createImportSession({
      create: createIdentities,
      storage: browserStorage(),
      onEnd() {
        void queryClient.invalidateQueries({ queryKey: IDENTITY_PAGES_KEY });
        void queryClient.invalidateQueries({ queryKey: identityTotalQuery.queryKey });
      },
    }),
  );
  useEffect(() => () => session.cancel(), [session]);
  const step = useSyncExternalStore(session.subscribe, session.step);
  useLeaveWarning(step.step === 'run');
  return { session, step };
}
