import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconInbox, IconSearchOff } from '../icons.ts';
import { CalmPanel } from './calm-panel.tsx';

/** Either nothing is stored (`no-data`), or the filter hides everything (`no-match`). */
export function EmptyState(props: { kind: 'no-data' | 'no-match'; title: string; text?: string; actions?: ReactNode }) {
  const Icon = props.kind === 'no-data' ? IconInbox : IconSearchOff;
  return (
    <CalmPanel icon={<Icon size={26} stroke={1.6} />} title={props.title}>
      {props.text !== undefined && (
        <Text c="dimmed" size="sm">
          {props.text}
        </Text>
      )}
      {props.actions}
    </CalmPanel>
  );
}
