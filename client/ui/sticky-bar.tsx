import { Group, type GroupProps } from '@mantine/core';
import { useRef } from 'react';
import { useScrollRoom } from './hooks/use-scroll-room.ts';

/** A row that sticks to the bottom of the screen; focused elements stay clear of it. */
export function StickyBar(props: GroupProps) {
  const bar = useRef<HTMLDivElement>(null);
  useScrollRoom(bar, 'Bottom');
  return <Group {...props} ref={bar} data-unprinted />;
}
