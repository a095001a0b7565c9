import { Paper, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { identitySchemasQuery, type SchemaList } from '../../../api/identity-schemas.ts';
import { useCan } from '../../../api/session.ts';
import { digits } from '../../../lib/format-count.ts';
import { SchemasIncomplete } from '../../../record/trait-field.tsx';
import { ClosedPage, FailurePanel } from '../../../ui/failure-panel.tsx';
import { FocusOnChange } from '../../../ui/hooks.tsx';
import { PageHeading } from '../../../ui/layout.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { LoadingRows, RunProgress } from '../../../ui/loading.tsx';
import { rememberedSchema } from '../new-identity-page.tsx';
import { identityChecker } from './check-identity.ts';
import { fittingSchema, ImportChoice } from './import-choice.tsx';
import { countOutcomes } from './import-run.ts';
import { type ImportSession, type ImportStep, useImportSession } from './import-session.ts';

// Most visits choose no file: later steps are loaded along with the first file.
const LOADING = <LoadingRows label="Loading" height={160} />;
const ImportMapping = lazyPart(() => import('./import-mapping.tsx'), 'ImportMapping', LOADING);
const ImportReview = lazyPart(() => import('./import-review.tsx'), 'ImportReview', LOADING);
const ImportEnd = lazyPart(() => import('./import-end.tsx'), 'ImportEnd', LOADING);

/** All steps of an import, from choosing a file to the report. */
export function ImportSteps({ known }: { known: SchemaList }) {
  const { session, step, leaving } = useImportSession();
  return (
    <FocusOnChange of={step.step}>
      <CurrentStep known={known} session={session} step={step} />
      {leaving}
    </FocusOnChange>
  );
}

function CurrentStep(props: { known: SchemaList; session: ImportSession; step: ImportStep }) {
  const { known, session, step } = props;
  const [schemaId, setSchemaId] = useState(() => rememberedSchema(known.schemas));
  const choose = (file: File, id: string | undefined): void => void session.choose(file, identityChecker(known, id));
  const begin = async (file: File): Promise<void> => {
    const id = (await fittingSchema(file, known)) ?? schemaId;
    setSchemaId(id);
    choose(file, id);
  };

  switch (step.step) {
    case 'choose':
      return (
        <Stack gap="md">
          {step.failure !== undefined && <FailurePanel title="This file cannot be imported" error={step.failure} />}
          <ImportChoice unfinished={session.unfinished()} schemas={known.schemas} onFile={(file) => void begin(file)} />
        </Stack>
      );
    case 'map':
      return (
        <ImportMapping
          name={step.file.name}
          beginning={step.beginning}
          earlier={step.mapping}
          known={known}
          schemaId={schemaId}
          onSchema={setSchemaId}
          onSaid={(said) => void session.choose(step.file, identityChecker(known, schemaId), said)}
          onOther={session.reset}
        />
      );
    case 'check':
      return (
        <Paper withBorder p="md">
          <RunProgress label="Checking the file" done={step.checked} total={undefined} onCancel={session.cancel} />
        </Paper>
      );
    case 'review':
      return (
        <ImportReview
          session={session}
          inspection={step.inspection}
          earlier={step.earlier}
          known={known}
          schemaId={schemaId}
          states={step.states}
          onStates={(states) => {
            const file = session.file();
            if (file !== undefined) void session.choose(file, identityChecker(known, schemaId), { states });
          }}
          onSchema={(id) => {
            setSchemaId(id);
            const file = session.file();
            if (file !== undefined) choose(file, id);
          }}
        />
      );
    case 'run': {
      const { all, existing, failed } = countOutcomes(step.outcomes);
      const aside = [
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
            note={aside.filter(Boolean).join(' · ')}
            onCancel={step.cancelled ? undefined : session.cancel}
          />
        </Paper>
      );
    }
    case 'end':
      return <ImportEnd session={session} end={step} />;
  }
}

const HEADING = {
  title: 'Import identities',
  about:
    'Creates identities from a CSV or NDJSON file. The file is checked in this browser first; nothing is sent until you start the import.',
};

export function ImportPage() {
  const may = useCan();
  return may('upstreams.write') ? <OpenImportPage /> : <ClosedPage {...HEADING} />;
}

function OpenImportPage() {
  const { data: known, error, refetch } = useQuery(identitySchemasQuery);
  return (
    <>
      <PageHeading {...HEADING} />
      {error !== null && <FailurePanel error={error} onRetry={() => void refetch()} />}
      {known === undefined ? (
        error === null && <Skeleton h={160} />
      ) : (
        <Stack gap="md">
          <SchemasIncomplete {...known} />
          <ImportSteps known={known} />
        </Stack>
      )}
    </>
  );
}
