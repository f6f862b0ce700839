/* Folders of results. */
#ifndef DMASIM_CLI_FOLDER_H
#define DMASIM_CLI_FOLDER_H

#include <stdbool.h>

#include "common/error_list.h"

/* Makes every folder of path; false with a message. */
bool folder_make(const char *path, struct error_list *errors);
/* folder/name; caller frees. */
char *folder_join(const char *folder, const char *name);
/* Writes text to folder/name: the file appears complete or not at all. False with a message. */
bool folder_write(const char *folder, const char *name, const char *text, struct error_list *errors);
/* Removes what killed writers have left in the folder itself: files named *.tmp. */
void folder_clean(const char *folder);
/* Removes the folder and the files in it (no folders). */
void folder_remove(const char *folder);

#endif
