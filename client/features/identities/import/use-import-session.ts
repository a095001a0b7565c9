import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { identitiesChanged } from '../../../api/identities-changed.ts';
import { createIdentities } from '../../../api/identity-batches.ts';
import { useLeaveQuestion } from '../../../resource/leave-question.tsx';
import { browserStorage } from './import-progress.ts';
import { createImportSession, type ImportSession, type ImportStep } from './import-session.ts';

/** An import for as long as the page is shown; leaving stops it after the current request and keeps its progress. */
export function useImportSession(): { session: ImportSession; step: ImportStep; leaving: ReactNode } {
  const queryClient = useQueryClient();
  const [session] = useState(() =>
    createImportSession({
      create: createIdentities,
      storage: browserStorage(),
      onEnd: () => void identitiesChanged(queryClient),
    }),
  );
  useEffect(() => () => session.cancel(), [session]);
  const step = useSyncExternalStore(session.subscribe, session.step);
  const leaving = useLeaveQuestion(step.step === 'run', 'import');
  return { session, step, leaving };
}
