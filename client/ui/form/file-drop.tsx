import { Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { IconFileUpload } from '../icons.ts';
import classes from './file-drop.module.css';

/** Takes one file by click, keyboard or drag and drop. */
export function FileDrop(props: { label: string; hint: string; accept: string; onFile: (file: File) => void }) {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null): void => {
    const file = files?.[0];
    if (file !== undefined) props.onFile(file);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <label
      className={classes.drop}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        type="file"
        className={classes.input}
        accept={props.accept}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // Allows the same file to be chosen again.
          currentTarget.value = '';
        }}
      />
      <IconFileUpload size={28} stroke={1.5} />
      <Text span fw={500}>
        {props.label}
      </Text>
      <Text span size="sm" c="dimmed">
        {props.hint}
      </Text>
    </label>
  );
}
