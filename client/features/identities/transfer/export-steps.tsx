import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { identityTotalQuery } from '../../../api/identities.ts';
import type { IdentitySchema } from '../../../api/identity-schemas.ts';
import { counted } from '../../../ui/counted.ts';
import { FailurePanel } from '../../../ui/failure-panel.tsx';
import { FocusOnChange } from '../../../ui/focus-on-change.tsx';
import { RunProgress } from '../../../ui/run-progress.tsx';
import { ExportChoice } from './export-choice.tsx';
import { type Exporting, useExport } from './use-export.ts';

const TITLES = {
  complete: 'The export is complete',
  cancelled: 'The export was cancelled',
  stopped: 'The export has stopped',
} as const;

export function ExportSteps({ schemas }: { schemas: readonly IdentitySchema[] }) {
  const exporting = useExport(schemas);
  return (
    <FocusOnChange of={exporting.state.step}>
      <ExportStep exporting={exporting} />
      {exporting.leaving}
    </FocusOnChange>
  );
}

function ExportStep({ exporting }: { exporting: Exporting }) {
  const { data } = useQuery(identityTotalQuery);
  const total = data?.total ?? undefined;
  const { state } = exporting;
  switch (state.step) {
    case 'ready':
      return <ExportChoice columns={exporting.columns} onStart={exporting.start} />;
    case 'run':
      return (
        <Paper withBorder p="md">
          <RunProgress
            label="Exporting"
            done={state.count}
            total={total}
            note={total === undefined ? 'The total is not known.' : undefined}
            onCancel={exporting.cancel}
          />
        </Paper>
      );
    case 'end':
      return (
        <Stack gap="md">
          {state.failure !== undefined && <FailurePanel title={TITLES.stopped} error={state.failure} />}
          <Paper withBorder p="md">
            <Stack gap="md">
              <Title order={2} size="h4">
                {TITLES[state.how]}
              </Title>
              <Text size="sm">
                {counted(state.count, 'identity was', 'identities were')} read.
                {state.how === 'complete' && ' The file is among the downloads of this browser.'}
              </Text>
              <EndButtons exporting={exporting} how={state.how} />
            </Stack>
          </Paper>
        </Stack>
      );
  }
}

function EndButtons({ exporting, how }: { exporting: Exporting; how: keyof typeof TITLES }) {
  return (
    <Group gap="xs">
      {how !== 'complete' && <Button onClick={exporting.goOn}>Go on</Button>}
      <Button variant="default" onClick={exporting.save}>
        {how === 'complete' ? 'Save it again' : 'Save what was read'}
      </Button>
      <Button variant="default" onClick={exporting.reset}>
        Another export
      </Button>
    </Group>
  );
}
