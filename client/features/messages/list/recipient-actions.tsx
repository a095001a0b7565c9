import { Button } from '@mantine/core';
import type { ListedMessage } from '../../../api/messages.ts';
import { counted } from '../../../format/counted.ts';
import { SelectionBar } from '../../../resource/list/selection-bar.tsx';
import type { Selection } from '../../../resource/list/use-selection.ts';
import { copyAndSay } from '../../../ui/feedback/copy-by-hand.tsx';
import { IconCopy } from '../../../ui/icons.ts';

/** The service can neither resend nor delete messages, so all an operator can do is contact the recipients. */
export function RecipientActions({ selection }: { selection: Selection<ListedMessage> }) {
  const recipients = [
    ...new Set(selection.rows.map(({ recipient }) => recipient).filter((recipient) => recipient !== '')),
  ];
  const copy = (): void =>
    void copyAndSay(recipients.join('\n'), `Copied ${counted(recipients.length, 'recipient', 'recipients')}`);
  return (
    <SelectionBar selection={selection}>
      <Button size="xs" variant="default" leftSection={<IconCopy size={14} />} onClick={copy}>
        Copy the recipients
      </Button>
    </SelectionBar>
  );
}
