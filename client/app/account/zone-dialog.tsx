import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { chooseZone, chosenZone } from '../../lib/time-zone.ts';

const UTC = 'UTC';

/** In which zone times are told and days begin. The page is loaded again, as what was drawn keeps the zone before. */
export function ZoneDialog({ onClose }: { onClose: () => void }) {
  const [zone, setZone] = useState(chosenZone() ?? '');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      chooseZone(zone || undefined);
    } catch {
      setProblem('This browser cannot keep the choice, or does not know this zone.');
      return;
    }
    location.reload();
  };
  return (
    <Modal opened onClose={onClose} title="Time zone">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            Exact times are told in this zone, and days begin by its clocks: in filters, headings and charts. Exported
            files always have UTC. The choice is kept in this browser; the page is loaded again.
          </Text>
          <NativeSelect
            label="Time zone"
            data-autofocus
            value={zone}
            error={problem}
            data={[
              { value: '', label: `This browser’s: ${Intl.DateTimeFormat().resolvedOptions().timeZone}` },
              UTC,
              ...zones(zone),
            ]}
            onChange={({ currentTarget }) => setZone(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => onClose()}>
              Cancel
            </Button>
            <Button type="submit">Use this zone</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** All that this browser knows; the chosen one may have a name besides. */
function zones(chosen: string): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  const others = known.includes(chosen) || chosen === '' ? known : [chosen, ...known];
  return others.filter((zone) => zone !== UTC);
}
