import { ActionIcon, Text, Textarea, type TextareaProps, TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, type DragEvent, useState } from 'react';
import { IconEye, IconEyeOff, IconFileUpload } from './icons.tsx';
import classes from './ui.module.css';

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

/** A text area that can be masked: multi-line keys in PEM format do not fit into a password field. */
export function SecretTextarea({ secret, ...textarea }: TextareaProps & { secret: boolean }) {
  const [shown, setShown] = useState(false);
  const label = shown ? 'Hide text' : 'Show text';
  return (
    <Textarea
      {...textarea}
      autosize
      minRows={secret ? 2 : 3}
      maxRows={12}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: secret && !shown ? classes.covered : classes.text }}
      rightSection={
        secret ? (
          <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setShown(!shown)}>
            {shown ? <IconEyeOff /> : <IconEye />}
          </ActionIcon>
        ) : undefined
      }
    />
  );
}

/**
 * A text input for a stored value. An input would drop the value's line breaks: a value with any gets a text area, and
 * keeps it, so that nothing changes while it is edited.
 */
export function StoredTextInput({
  onChange,
  ...props
}: Omit<TextInputProps, 'onChange' | 'value'> & {
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}) {
  const [hasBreaks, setHasBreaks] = useState(false);
  if (!hasBreaks && props.type === undefined && /[\r\n]/.test(props.value)) setHasBreaks(true);
  if (!hasBreaks) return <TextInput {...props} onChange={onChange} />;
  const { label, description, inputWrapperOrder, error, required, readOnly, value } = props;
  const field = { label, description, inputWrapperOrder, error, required, readOnly, value };
  return <Textarea {...field} autosize maxRows={10} autoComplete="off" spellCheck={false} onChange={onChange} />;
}
