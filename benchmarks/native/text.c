#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text text_read(const char *path)
{
    struct text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        die("cannot read %s", path);
    fseek(file, 0, SEEK_END);
    text.length = (size_t)ftell(file);
    rewind(file);
    text.bytes = calloc(1, text.length + 1);
    if (fread(text.bytes, 1, text.length, file) != text.length)
        die("cannot read %s to its end", path);
    fclose(file);
    return text;
}

struct text text_copy(struct text text)
{
    struct text copy = {malloc(text.length + 1), text.length};
    memcpy(copy.bytes, text.bytes, text.length + 1);
    return copy;
}

/* Where *mark* stands; the caller writes something of the same length there. */
char *text_find(struct text text, const char *mark)
{
    char *found = strstr(text.bytes, mark);
    if (found == NULL)
        die("there is no %s in a body", mark);
    return found;
}

/* Cuts *text* into its lines, each a text of its own. */
struct text *text_lines(struct text text, size_t *count)
{
    struct text *lines = NULL;
    *count = 0;
    for (char *line = strtok(text.bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        lines = realloc(lines, (*count + 1) * sizeof *lines);
        lines[(*count)++] = (struct text){line, strlen(line)};
    }
    return lines;
}
