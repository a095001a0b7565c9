import { Paper, Skeleton, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { attempt } from '../../../shared/json.ts';
import { identitiesChanged } from '../../api/identities.ts';
import { identitySchemasQuery, rememberedSchema, type SchemaList } from '../../api/identity-schemas.ts';
import { useCan } from '../../api/session.ts';
import { digits } from '../../lib/format-count.ts';
import { SchemasIncomplete } from '../../record/schemas-incomplete.tsx';
import { BackLink } from '../../record/tabs.tsx';
import { useConfirmLeave } from '../../ui/confirm-leave.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { FocusOnChange } from '../../ui/hooks.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { RunProgress } from '../../ui/run-progress.tsx';
import { GuardedPage } from '../../ui/state-panel.tsx';
import { ImportChoice } from './import-choice.tsx';
import { countOutcomes, createIdentities } from './import-run.ts';
import { createImportSession, type ImportSession, type ImportStep } from './import-session.ts';

const STEP = <Skeleton h={160} />;
const ImportMapping = lazyPart(() => import('./import-mapping.tsx'), 'ImportMapping', STEP);
const ImportReview = lazyPart(() => import('./import-review.tsx'), 'ImportReview', STEP);
const ImportEnd = lazyPart(() => import('./import-review.tsx'), 'ImportEnd', STEP);

export const ImportPage = () => (
  <>
    <BackLink to="/identities" label="Identities" />
    <GuardedPage
      open={useCan()('upstreams.write')}
      title="Import identities"
      about="Creates identities from a CSV, NDJSON or JSON file. The file is checked in this browser first; nothing is created until you start the import."
    >
      <Import />
    </GuardedPage>
  </>
);

const Import = () => (
  <Stack gap="md">
    <QueryState query={useQuery(identitySchemasQuery)} loading={STEP}>
      {(known) => (
        <>
          <SchemasIncomplete {...known} />
          <ImportSteps known={known} />
        </>
      )}
    </QueryState>
  </Stack>
);

/** All steps of an import. Leaving the page stops the import after the current request and saves its progress. */
function ImportSteps({ known }: { known: SchemaList }) {
  const queryClient = useQueryClient();
  const [session] = useState(() =>
    createImportSession({
      known,
      schemaId: rememberedSchema(known.schemas),
      create: createIdentities,
      // Some browsers deny access to localStorage, and some have none.
      storage: attempt(() => localStorage) ?? undefined,
      onEnd: () => void identitiesChanged(queryClient),
    }),
  );
  useEffect(() => () => session.cancel(), [session]);
  const step = session.useStep();
  const leaveDialog = useConfirmLeave(() => step.step === 'run', 'import');
  return (
    <FocusOnChange of={step.step}>
      <CurrentStep session={session} step={step} />
      {leaveDialog}
    </FocusOnChange>
  );
}

function CurrentStep({ session, step }: { session: ImportSession; step: ImportStep }) {
  switch (step.step) {
    case 'choose':
      return (
        <Stack gap="md">
          {step.failure !== undefined && <FailurePanel title="This file cannot be imported" error={step.failure} />}
          <ImportChoice session={session} />
        </Stack>
      );
    case 'map':
      return <ImportMapping session={session} beginning={step.beginning} />;
    case 'check':
      return (
        <Paper withBorder p="md">
          <RunProgress label="Checking the file" done={step.checked} total={undefined} onCancel={session.cancel} />
        </Paper>
      );
    case 'review':
      return <ImportReview session={session} inspection={step.inspection} earlier={step.earlier} />;
    case 'run': {
      const { all, existing, failed } = countOutcomes(step.outcomes);
      const notes = [
        existing > 0 && `${digits(existing)} already exist`,
        failed > 0 && `${digits(failed)} failed`,
        step.note,
      ];
      return (
        <Paper withBorder p="md">
          <RunProgress
            label="Importing"
            done={all}
            total={step.total}
            note={notes.filter(Boolean).join(' · ')}
            onCancel={session.cancel}
          />
        </Paper>
      );
    }
    case 'end':
      return <ImportEnd session={session} end={step} />;
  }
}
