import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { counted } from '../../format/counted.ts';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { RunProgress } from '../../ui/loading/run-progress.tsx';
import type { Exporting, ExportState } from './use-export.ts';

const TITLES = {
  complete: 'The export is complete',
  cancelled: 'The export was cancelled',
  stopped: 'The export has stopped',
} as const;

/**
 * A running or finished export, with its progress or outcome and the next actions.
 * @param total number of rows, if known
 * @param read noun and verb for the rows read, as in "3 identities were"
 */
export function ExportProgress(props: {
  exporting: Exporting;
  state: Exclude<ExportState, { step: 'ready' }>;
  total: number | undefined;
  read: (count: number) => string;
}) {
  const { exporting, state, total } = props;
  if (state.step === 'run') {
    return (
      <Paper withBorder p="md">
        <RunProgress
          label="Exporting"
          done={state.count + state.leftOut}
          total={total}
          note={total === undefined ? 'The total is unknown.' : undefined}
          onCancel={exporting.cancel}
        />
      </Paper>
    );
  }
  return (
    <Stack gap="md">
      {state.failure !== undefined && <FailurePanel title={TITLES.stopped} error={state.failure} />}
      <Paper withBorder p="md">
        <Stack gap="md">
          <Title order={2} size="h4">
            {TITLES[state.how]}
          </Title>
          <Text size="sm">
            {props.read(state.count)} read.
            {state.leftOut > 0 &&
              ` ${counted(state.leftOut, 'no longer matches and is', 'no longer match and are')} left out.`}
            {state.how === 'complete' && ' The file is in this browser’s downloads.'}
          </Text>
          {state.missing !== undefined && (
            <Text size="sm" fw={500}>
              {state.missing}
            </Text>
          )}
          <EndButtons exporting={exporting} how={state.how} />
        </Stack>
      </Paper>
    </Stack>
  );
}

function EndButtons({ exporting, how }: { exporting: Exporting; how: keyof typeof TITLES }) {
  return (
    <Group gap="xs">
      {how !== 'complete' && <Button onClick={exporting.goOn}>Continue</Button>}
      <Button variant="default" onClick={exporting.save}>
        {how === 'complete' ? 'Save again' : 'Save partial file'}
      </Button>
      <Button variant="default" onClick={exporting.reset}>
        Start another export
      </Button>
    </Group>
  );
}
