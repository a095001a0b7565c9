import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { RunProgress } from '../../ui/loading/run-progress.tsx';
import type { Exporting, ExportState } from './use-export.ts';

const TITLES = {
  complete: 'The export is complete',
  cancelled: 'The export was cancelled',
  stopped: 'The export has stopped',
} as const;

/**
 * An export once it has begun: how far it is, or how it ended and what can be done then.
 * @param total of all rows, where it is known
 * @param read so many of what were read, as the beginning of a sentence: "3 identities were"
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
          done={state.count}
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
            {state.how === 'complete' && ' The file is among the downloads of this browser.'}
          </Text>
          <EndButtons exporting={exporting} how={state.how} />
        </Stack>
      </Paper>
    </Stack>
  );
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
